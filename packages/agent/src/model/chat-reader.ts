/** Turns chunks of Chat Completions into a model's events. */

import { type Shape, choiceOf, createChatMessage, stringOf } from "@runahead/base";
import { type WholeCall, finishOf, isTooDeep, wellFormed } from "@runahead/engine/wire";
import { reasoningBlock } from "./chat-reasoning.ts";
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

export class ChatReader extends OpenAiReader {
  readonly #model: string;
  readonly #message = createChatMessage((value) => !isTooDeep(value));
  #text: string[] = [];

  constructor(model: string) {
    super();
    this.#model = model;
  }

  look(chunk: Shape): void {
    this.#message.look(chunk);
  }

  protected read(chunk: Shape): void {
    this.start(chunk);
    const choice = choiceOf(chunk);
    this.count(usageIn(chunk, choice));
    const { thought, texts, refusal } = this.#message.take(choice);
    this.think(thought);
    for (const text of refusal === "" ? texts : [...texts, refusal]) {
      this.#text.push(text);
      this.say(text);
    }
    const reason = stringOf(choice["finish_reason"]);
    if (reason !== "") this.stop = stopReason(reason);
  }

  /** The server has said that the response is over, although some servers give no reason for it. */
  ended(): void {
    this.stop ??= this.hasCalls ? "tool_use" : "end_turn";
  }

  protected called({ call, block }: WholeCall): void {
    this.flush();
    const own = wellFormed(this.#message.ofCall(call.id));
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
    const block = reasoningBlock(this.#model, this.#message.takeReasoning());
    if (block !== undefined) this.ready.push({ type: "block", block });
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
