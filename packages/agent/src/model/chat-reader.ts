/** Turns chunks of Chat Completions into a model's events. */

import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";
import { type WholeCall, finishOf, isTooDeep, wellFormed } from "@runahead/engine/wire";
import { ChatReasoning, isThought, partsOf } from "./chat-reasoning.ts";
import { ModelError } from "./error.ts";
import type { StopReason } from "./event.ts";
import { withOwn } from "./openai-item.ts";
import { OpenAiReader } from "./openai-reader.ts";
import { usageIn } from "./openai-usage.ts";

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["tool_use", "tool_use"],
]);

/** Of a chunk without a choice. */
export const NO_CHOICE: Shape = {};

/** Returns the first of several choices; a chunk can begin with another one. */
export function choiceOf(chunk: Shape): Shape {
  return (
    listOf(chunk["choices"])
      .map(shapeOf)
      .find(({ index }) => (index ?? 0) === 0) ?? NO_CHOICE
  );
}

export class ChatReader extends OpenAiReader {
  readonly #reasoning: ChatReasoning;
  /** What servers send with a call beside the API's members, such as Gemini's signature of its thoughts. */
  readonly #ofCalls = new Map<string, Shape>();
  #text: string[] = [];
  /** Whether text and reasoning have come in pieces. */
  #hasText = false;
  #hasThoughts = false;

  constructor(model: string) {
    super();
    this.#reasoning = new ChatReasoning(model);
  }

  look(chunk: Shape): void {
    for (const entry of entriesOf(deltaOf(choiceOf(chunk)))) {
      const { index: _index, id, type: _type, function: called, ...own } = shapeOf(entry);
      const { name: _name, arguments: _arguments, ...ofFunction } = shapeOf(called);
      const members = Object.keys(ofFunction).length === 0 ? own : { ...own, function: ofFunction };
      const key = stringOf(id);
      if (key === "" || Object.keys(members).length === 0 || isTooDeep(members)) continue;
      this.#ofCalls.set(key, { ...this.#ofCalls.get(key), ...wellFormed(members) });
    }
  }

  protected read(chunk: Shape): void {
    this.start(chunk);
    const choice = choiceOf(chunk);
    this.count(usageIn(chunk, choice));
    this.#takeContent(choice);
    const reason = stringOf(choice["finish_reason"]);
    if (reason !== "") this.stop = stopReason(reason);
  }

  /** Some servers send the whole message once more after its pieces, in place of a delta. */
  #takeContent(choice: Shape): void {
    const delta = deltaOf(choice);
    const isPiece = delta === choice["delta"];
    if (isPiece || !this.#hasThoughts) {
      const thought = this.#reasoning.take(delta);
      this.think(thought);
      if (isPiece && thought !== "") this.#hasThoughts = true;
    }
    if (!isPiece && this.#hasText) return;
    for (const part of partsOf(delta)) if (!isThought(part)) this.#addText(part["text"], isPiece);
    this.#addText(delta["refusal"], isPiece);
  }

  /** The server has said that the response is over, although some servers give no reason for it. */
  ended(): void {
    this.stop ??= this.hasCalls ? "tool_use" : "end_turn";
  }

  protected called({ call, block }: WholeCall): void {
    this.flush();
    const own = this.#ofCalls.get(call.id) ?? {};
    this.ready.push({ type: "call-complete", call }, { type: "block", block: withOwn(block, "chat", own) });
  }

  protected callComes(): void {
    this.flush();
  }

  protected flush(): void {
    this.#giveReasoning();
    if (this.#text.length === 0) return;
    const text = this.#text.join("").toWellFormed();
    this.#text = [];
    // The APIs reject blocks that are only white space.
    if (text.trim() !== "") this.ready.push({ type: "block", block: { type: "text", text } });
  }

  /** The server rejects a call without the reasoning that led to it. */
  giveRest(): void {
    if (this.hasCalls) this.#giveReasoning();
  }

  #giveReasoning(): void {
    const block = this.#reasoning.block();
    if (block !== undefined) this.ready.push({ type: "block", block });
  }

  #addText(text: unknown, isPiece: boolean): void {
    if (typeof text !== "string" || text === "") return;
    if (isPiece) this.#hasText = true;
    this.#text.push(text);
    this.say(text);
  }
}

function stopReason(reason: string): StopReason {
  switch (finishOf(reason)) {
    case "limit":
      return "max_tokens";
    case "refused":
      return "refusal";
    case "broken":
      throw new ModelError("cut", `The response ended early: the server reports "${reason.slice(0, 100)}".`);
    case "whole":
      return REASONS.get(reason) ?? "end_turn";
  }
}

/** Some servers send one entry in place of a list. */
function entriesOf({ tool_calls: entries }: Shape): readonly unknown[] {
  return Array.isArray(entries) ? entries : isShape(entries) ? [entries] : [];
}

/** Some servers send a whole message in place of a delta. */
function deltaOf(choice: Shape): Shape {
  return shapeOf(choice["delta"] ?? choice["message"]);
}
