/** Plays a recorded response through our readers, cut into pieces of any size. */

import { modelEvents } from "../../src/model/anthropic.ts";
import { anthropicBody } from "../../src/model/anthropic-request.ts";
import type { ModelEvent, Usage } from "../../src/model/event.ts";
import type { Block, ModelRequest } from "../../src/model/message.ts";
import { openaiEvents } from "../../src/model/openai.ts";
import { chatBody, responsesBody } from "../../src/model/openai-request.ts";
import { sseEvents } from "../../src/model/sse.ts";
import { NO_USAGE } from "../../src/model/token-usage.ts";
import type { Kind } from "./sdk.ts";

/** What our reader made of a response. */
export interface Heard {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  readonly blocks: readonly Block[];
  readonly usage: Usage;
  readonly stop: string | undefined;
  readonly error: string | undefined;
}

interface Call {
  readonly id: string;
  readonly name: string;
  /** The parsed input; its text if it does not parse. */
  readonly input: unknown;
}

export async function replay(kind: Kind, bytes: Uint8Array, pieceBytes: number): Promise<Heard> {
  const events: ModelEvent[] = [];
  let error: string | undefined;
  try {
    const source = sseEvents(pieces(bytes, pieceBytes));
    for await (const event of kind === "anthropic" ? modelEvents(source) : openaiEvents(source))
      events.push(event);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  return { ...heard(events), error };
}

function heard(events: readonly ModelEvent[]): Omit<Heard, "error"> {
  const of = <Type extends ModelEvent["type"]>(type: Type) =>
    events.filter((event): event is Extract<ModelEvent, { type: Type }> => event.type === type);
  return {
    text: of("text")
      .map(({ text }) => text)
      .join(""),
    thinking: of("thinking")
      .map(({ text }) => text)
      .join(""),
    calls: of("call-complete").map(({ call }) => ({
      id: call.id,
      name: call.name,
      input: "input" in call ? call.input : call.inputText,
    })),
    blocks: of("block").map(({ block }) => block),
    usage: of("usage").at(-1)?.usage ?? NO_USAGE,
    stop: of("stopped")[0]?.reason,
  };
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The next request after a response, as it is sent. */
export function nextRequest(kind: Kind, { blocks, calls }: Heard): Record<string, unknown> {
  const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  const request: ModelRequest = {
    system: "",
    tools: [],
    messages: [
      { role: "user", content: "go" },
      ...(blocks.length === 0 ? [] : [{ role: "assistant" as const, content: blocks }]),
      // A script of the provider goes on only if nothing but results follows.
      { role: "user", content: results.length > 0 ? results : [{ type: "text", text: "go on" }] },
    ],
    maxTokens: 1000,
  };
  if (kind === "anthropic") return anthropicBody("model", request);
  return kind === "chat"
    ? { ...chatBody("model", request, "max_tokens") }
    : { ...responsesBody("model", request) };
}
