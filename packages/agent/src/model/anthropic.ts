/** Models behind the Anthropic Messages API. */

import { type ArrivingCall, type CallRequest, type CallSink, anthropicCalls } from "@runahead/engine";
import { anthropicBody } from "./anthropic-request.ts";
import { BlockBuilder } from "./blocks.ts";
import { ModelError, errorOfType } from "./error.ts";
import type { Model, ModelEvent, StopReason, Usage } from "./event.ts";
import { idleLimitMs, withIdleLimit } from "./idle.ts";
import type { Block } from "./message.ts";
import { stringOf } from "./shape.ts";
import type { SseEvent } from "./sse.ts";
import { openStream } from "./transport.ts";
import { NO_USAGE, laterUsage } from "./usage.ts";

export interface AnthropicOptions {
  readonly model: string;
  /** `ANTHROPIC_API_KEY` where absent. */
  readonly apiKey?: string;
  /** `ANTHROPIC_BASE_URL` where absent, else Anthropic's own address. */
  readonly baseURL?: string;
}

const VERSION = "2023-06-01";
const OWN_ADDRESS = "https://api.anthropic.com";

export function anthropic({ model, apiKey, baseURL }: AnthropicOptions): Model {
  return {
    name: model,
    stream(request, signal) {
      const key = apiKey ?? process.env["ANTHROPIC_API_KEY"] ?? "";
      if (key === "") throw new ModelError("credentials", "no key: set ANTHROPIC_API_KEY or give apiKey");
      const address = (baseURL ?? process.env["ANTHROPIC_BASE_URL"] ?? OWN_ADDRESS).replace(/\/+$/, "");
      const headers = { "x-api-key": key, "anthropic-version": VERSION };
      const body = anthropicBody(model, request);
      return modelEvents(openStream({ url: `${address}/v1/messages`, headers, body, signal }));
    },
  };
}

type Raw = Readonly<Record<string, unknown>> & { readonly type: string };

/** The wire's events as a model's. Exported for recordings, which are of the wire's. */
export async function* modelEvents(
  events: AsyncIterable<SseEvent>,
): AsyncGenerator<ModelEvent, void, undefined> {
  const reader = new AnthropicReader();
  const raw = withIdleLimit(rawEvents(events), idleLimitMs(), ({ type }) => type !== "ping");
  for await (const event of anthropicCalls(raw, reader)) {
    reader.take(event);
    yield* reader.ready.splice(0);
  }
  reader.finish();
  yield* reader.ready.splice(0);
}

async function* rawEvents(events: AsyncIterable<SseEvent>): AsyncGenerator<Raw, void, undefined> {
  for await (const { data } of events) {
    if (data === "[DONE]") return;
    const event = parse(data);
    if (event.type === "error") throw errorIn(event);
    yield event;
  }
}

function parse(data: string): Raw {
  try {
    return JSON.parse(data) as Raw;
  } catch (error) {
    throw new ModelError("protocol", `an event is not JSON: ${data.slice(0, 80).toWellFormed()}`, {
      cause: error,
    });
  }
}

function errorIn(event: Raw): ModelError {
  const { type, message } = (event["error"] ?? {}) as { type?: string; message?: string };
  return errorOfType(type ?? "error", message ?? "no explanation was given");
}

class AnthropicReader implements CallSink {
  readonly ready: ModelEvent[] = [];
  readonly #blocks = new BlockBuilder();
  #usage: Usage = NO_USAGE;
  #stop: { readonly reason: StopReason; readonly detail: string } | undefined;

  add(call: CallRequest): boolean {
    this.#blocks.called(call);
    this.ready.push({ type: "call-complete", call });
    return true;
  }

  /** How the response ended is read off its own events. */
  end(): void {}

  arriving({ id, name, delta, preview }: ArrivingCall): void {
    this.ready.push(
      delta === "" ? { type: "call-begun", id, name } : { type: "call-delta", id, name, delta, preview },
    );
  }

  take(event: Raw): void {
    const index = Number(event["index"]);
    switch (event.type) {
      case "message_start":
        return this.#messageStart(event["message"] as Raw);
      case "content_block_start":
        return this.#blocks.begin(index, { ...(event["content_block"] as Block) });
      case "content_block_delta":
        return this.#delta(index, event["delta"] as Block);
      case "content_block_stop":
        this.#blocks.end(index);
        return this.#giveBlocks(this.#blocks.take());
      case "message_delta":
        return this.#messageDelta(event);
    }
  }

  finish(): void {
    if (this.#stop === undefined) throw new ModelError("cut", "the response ended without saying why");
    this.#giveBlocks(this.#blocks.takeRest());
    this.ready.push({ type: "stopped", ...this.#stop });
  }

  #messageStart(message: Raw | undefined): void {
    this.ready.push({
      type: "message-started",
      id: stringOf(message?.["id"]),
      model: stringOf(message?.["model"]),
    });
    this.#count(message?.["usage"]);
  }

  #delta(index: number, delta: Block): void {
    this.#blocks.grow(index, delta);
    if (delta.type === "text_delta") this.ready.push({ type: "text", text: stringOf(delta["text"]) });
    if (delta.type === "thinking_delta")
      this.ready.push({ type: "thinking", text: stringOf(delta["thinking"]) });
  }

  #messageDelta(event: Raw): void {
    this.#count(event["usage"]);
    const { stop_reason: reason, stop_details: details } = (event["delta"] ?? {}) as Record<string, unknown>;
    if (typeof reason !== "string") return;
    const detail = details === undefined || details === null ? "" : JSON.stringify(details);
    this.#stop = { reason: reason as StopReason, detail };
  }

  #count(raw: unknown): void {
    this.#usage = laterUsage(this.#usage, raw);
    this.ready.push({ type: "usage", usage: this.#usage });
  }

  #giveBlocks(blocks: readonly Block[]): void {
    for (const block of blocks) this.ready.push({ type: "block", block });
  }
}
