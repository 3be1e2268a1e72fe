/** Turns a stream of the AI SDK into a model's events and blocks of the history. */

import type { ArrivingCall, CallRequest, CallSink, ResponseEnding } from "@runahead/engine";
import { AI_SDK_PART, PROVIDER_OPTIONS, partToKeep, thinkingBlock } from "./ai-sdk-part.ts";
import type { WireEvent } from "./ai-sdk-wire.ts";
import { createWholeCalls } from "@runahead/engine/wire";
import { arrivingEvent } from "./arriving.ts";
import { ModelError, NO_STOP_REASON } from "./error.ts";
import type { ModelEvent, StopReason } from "./event.ts";
import type { Block } from "./message.ts";
import { type Shape, isShape, shapeOf, stringOf } from "@runahead/base";
import { NO_USAGE } from "./token-usage.ts";
import { laterUsage } from "./usage.ts";
import { isTooDeep, wellFormed } from "@runahead/engine/wire";
import { outputOf } from "./openai-usage.ts";

/** Text that is still arriving, and the provider's metadata for it. */
interface Growing {
  readonly id: string;
  readonly pieces: string[];
  metadata: Shape;
}

/** A block in its place in the message. The block of a call waits until the provider reports the whole call. */
interface Kept {
  readonly waitsFor: string | undefined;
  readonly block: Block;
}

export class AiSdkReader implements CallSink {
  readonly ready: ModelEvent[] = [];
  readonly #modelId: string;
  readonly #calls = createWholeCalls();
  /** Complete calls as the provider reported them, by id. */
  readonly #expected = new Map<string, Shape>();
  #kept: Kept[] = [];
  readonly #reasoning = new Map<string, Growing>();
  #text: Growing | undefined;
  #hasStarted = false;
  #problem: string | undefined;
  #stop: StopReason | undefined;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  expect(part: Shape): void {
    if (part["type"] === "tool-call") this.#expected.set(stringOf(part["toolCallId"]), part);
  }

  add(given: CallRequest): boolean {
    const part = this.#expected.get(given.id);
    const whole = this.#calls.take(withInput(given, part?.["input"]));
    if (whole === undefined) return false;
    this.#endText();
    this.ready.push({ type: "call-complete", call: whole.call });
    const options = optionsOf(shapeOf(part?.["providerMetadata"]));
    this.#give({ ...whole.block, ...options }, part === undefined ? given.id : undefined);
    return true;
  }

  end({ isMalformed, reason }: ResponseEnding = { ok: true }): void {
    if (isMalformed === true) this.#problem = reason;
  }

  arriving({ id, name, delta, preview }: ArrivingCall): void {
    this.#start({});
    this.#endText();
    this.ready.push(arrivingEvent({ id, name, delta, preview }));
  }

  take({ type, delta, part }: WireEvent): void {
    if (this.#problem !== undefined) throw new ModelError("protocol", this.#problem);
    if (part !== undefined) this.#takePart(part);
    if (type === "message_delta") this.#stop = shapeOf(delta)["stop_reason"] as StopReason;
  }

  finish(): void {
    if (this.#stop === undefined) throw new ModelError("cut", NO_STOP_REASON);
    this.#start({});
    this.#endText();
    this.giveRest();
    this.ready.push({ type: "stopped", reason: this.#stop, detail: "" });
  }

  /** The stream has ended, so blocks stop waiting. */
  giveRest(): void {
    for (const { block } of this.#kept) this.ready.push({ type: "block", block });
    this.#kept = [];
  }

  #takePart(part: Shape): void {
    const id = stringOf(part["id"]);
    switch (part["type"]) {
      case "response-metadata":
        return this.#start(part);
      case "text-start":
      case "text-delta":
        return this.#addText(id, part);
      case "text-end":
        if (this.#text?.id !== id) return;
        addMetadata(this.#text, part);
        return this.#endText();
      case "reasoning-start":
      case "reasoning-delta":
        return this.#addReasoning(id, part);
      case "reasoning-end":
        this.#addReasoning(id, part);
        return this.#endReasoning(id);
      case "finish":
        return this.#count(part["usage"]);
      default:
        return this.#keep(part);
    }
  }

  #start({ id, modelId }: Shape): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.ready.push({ type: "message-started", id: stringOf(id), model: stringOf(modelId, this.#modelId) });
  }

  #addText(id: string, part: Shape): void {
    this.#start({});
    if (this.#text?.id !== id) this.#endText();
    this.#text ??= { id, pieces: [], metadata: {} };
    const text = grow(this.#text, part);
    if (text !== "") this.ready.push({ type: "text", text });
  }

  /** Some providers start a call without ending the text before it. */
  #endText(): void {
    if (this.#text === undefined) return;
    const { pieces, metadata } = this.#text;
    this.#text = undefined;
    const text = pieces.join("").toWellFormed();
    // The APIs reject blocks that are only white space.
    if (text.trim() !== "") this.#give({ type: "text", text, ...optionsOf(metadata) });
  }

  #addReasoning(id: string, part: Shape): void {
    this.#start({});
    this.#endText();
    const reasoning = this.#reasoning.get(id) ?? { id, pieces: [], metadata: {} };
    this.#reasoning.set(id, reasoning);
    const text = grow(reasoning, part);
    if (text !== "") this.ready.push({ type: "thinking", text });
  }

  #endReasoning(id: string): void {
    const { pieces, metadata } = this.#reasoning.get(id) ?? { pieces: [], metadata: {} };
    this.#reasoning.delete(id);
    const text = pieces.join("");
    const part = { type: "reasoning", text, ...optionsOf(metadata) };
    if (text !== "" || Object.keys(metadata).length > 0)
      this.#give(thinkingBlock(text, metadata) ?? { type: AI_SDK_PART, part: wellFormed(part) });
  }

  /** Data that only this provider understands is sent back unchanged. */
  #keep(given: Shape): void {
    if (given["type"] === "tool-call" && given["providerExecuted"] !== true) return this.#explain(given);
    const part = partToKeep(given);
    if (part === undefined || isTooDeep(part)) return;
    this.#start({});
    this.#endText();
    this.#give({ type: AI_SDK_PART, part: wellFormed(part) });
  }

  #give(block: Block, waitsFor?: string): void {
    this.#kept.push({ block, waitsFor });
    this.#giveKept();
  }

  #giveKept(): void {
    const waiting = this.#kept.findIndex(({ waitsFor }) => waitsFor !== undefined);
    const count = waiting < 0 ? this.#kept.length : waiting;
    for (const { block } of this.#kept.splice(0, count)) this.ready.push({ type: "block", block });
  }

  /** The provider's report of a call that already runs, because its input was complete. */
  #explain(part: Shape): void {
    const options = optionsOf(shapeOf(part["providerMetadata"]));
    this.#kept = this.#kept.map((kept) =>
      kept.waitsFor === part["toolCallId"]
        ? { waitsFor: undefined, block: { ...kept.block, ...options } }
        : kept,
    );
    this.#giveKept();
  }

  #count(usage: unknown): void {
    this.#start({});
    this.ready.push({ type: "usage", usage: laterUsage(NO_USAGE, countsOf(shapeOf(usage))) });
  }
}

function grow(growing: Growing, part: Shape): string {
  addMetadata(growing, part);
  const text = stringOf(part["delta"]);
  if (text !== "") growing.pieces.push(text);
  return text;
}

/** Metadata can arrive with each piece: a signature comes last. */
function addMetadata(growing: Growing, part: Shape): void {
  const given = shapeOf(part["providerMetadata"]);
  for (const [provider, members] of Object.entries(given)) {
    const merged = { ...shapeOf(growing.metadata[provider]), ...shapeOf(members) };
    growing.metadata = { ...growing.metadata, [provider]: merged };
  }
}

function optionsOf(metadata: Shape): Shape {
  if (Object.keys(metadata).length === 0 || isTooDeep(metadata)) return {};
  return { [PROVIDER_OPTIONS]: wellFormed(metadata) };
}

/** The input of the complete call takes precedence over its pieces. */
function withInput(call: CallRequest, text: unknown): CallRequest {
  const { id, name } = call;
  if (typeof text !== "string" || text.trim() === "") return call;
  try {
    return { id, name, input: JSON.parse(text) as unknown };
  } catch {
    return { id, name, inputText: text };
  }
}

/** Version 2 has flat counts; later versions have an object for each kind. */
function countsOf(usage: Shape): Shape {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  if (!isShape(inputTokens))
    return {
      input_tokens: inputTokens,
      output_tokens: outputOf({ input: inputTokens, output: outputTokens, total: usage["totalTokens"] }),
      cache_read_input_tokens: cachedInputTokens,
    };
  return {
    input_tokens: inputTokens["noCache"] ?? inputTokens["total"],
    output_tokens: shapeOf(outputTokens)["total"],
    cache_read_input_tokens: inputTokens["cacheRead"],
    cache_creation_input_tokens: inputTokens["cacheWrite"],
  };
}
