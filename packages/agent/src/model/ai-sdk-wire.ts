/**
 * Translates the calls in a stream of the AI SDK into events of the Messages API. The engine's adapter for that API
 * then handles order, previews and incomplete calls.
 */

import { ModelError, NO_STOP_REASON } from "./error.ts";
import type { StopReason } from "./event.ts";
import { JsonEnd } from "./json-end.ts";
import { type Shape, shapeOf, stringOf } from "@runahead/base";

/** `part` is the part of the stream that the event came from, set on one event only. */
export type WireEvent = Shape & { readonly type: string; readonly part?: Shape };

/** Parts that start something other than a call, so the calls before them are complete. */
const BEGINS: ReadonlySet<unknown> = new Set([
  "text-start",
  "reasoning-start",
  "tool-result",
  "file",
  "reasoning-file",
  "custom",
]);

interface OpenCall {
  readonly index: number;
  readonly end: JsonEnd;
  hasInput: boolean;
}

export class CallWire {
  readonly #open = new Map<string, OpenCall>();
  /** Calls that were complete before the provider reported it. */
  readonly #early = new Set<string>();
  #next = 0;

  *eventsOf(part: Shape): Generator<WireEvent, void, undefined> {
    // The provider runs these tools itself.
    const isOther = BEGINS.has(part["type"]) || part["providerExecuted"] === true;
    if (isOther) return yield { ...this.#begin({ type: "other" }), part };
    switch (part["type"]) {
      case "tool-input-start":
        return yield* this.#inputStart(stringOf(part["id"]), part["toolName"]);
      case "tool-input-delta":
        return yield* this.#inputDelta(stringOf(part["id"]), part["delta"]);
      case "tool-call":
        return yield* this.#call(stringOf(part["toolCallId"]), part);
      case "finish":
        yield { type: "message_delta", delta: { stop_reason: stopReason(part["finishReason"]) }, part };
        return yield { type: "message_stop" };
      default:
        yield { type: "part", part };
    }
  }

  #begin(block: Shape): WireEvent {
    return { type: "content_block_start", index: this.#next++, content_block: block };
  }

  *#inputStart(id: string, name: unknown): Generator<WireEvent, void, undefined> {
    if (this.#open.has(id)) return;
    this.#open.set(id, { index: this.#next, end: new JsonEnd(), hasInput: false });
    yield this.#begin({ type: "tool_use", id, name });
  }

  /** Some providers report a call only at the end of the response, so it counts as complete when its JSON closes. */
  *#inputDelta(id: string, given: unknown): Generator<WireEvent, void, undefined> {
    const call = this.#open.get(id);
    const text = stringOf(given);
    if (call === undefined || text === "") return;
    call.hasInput = true;
    const delta = { type: "input_json_delta", partial_json: text };
    yield { type: "content_block_delta", index: call.index, delta };
    if (!call.end.push(text)) return;
    this.#early.add(id);
    yield* this.#stop(id, call);
  }

  /** Some providers send a call only when it is complete. */
  *#call(id: string, part: Shape): Generator<WireEvent, void, undefined> {
    if (this.#early.has(id)) return yield { type: "part", part };
    yield* this.#inputStart(id, part["toolName"]);
    const call = this.#open.get(id);
    if (call !== undefined && !call.hasInput) yield* this.#inputDelta(id, part["input"]);
    if (call !== undefined && this.#open.has(id)) yield* this.#stop(id, call);
  }

  *#stop(id: string, { index }: OpenCall): Generator<WireEvent, void, undefined> {
    this.#open.delete(id);
    yield { type: "content_block_stop", index };
  }
}

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["content-filter", "refusal"],
  ["tool-calls", "tool_use"],
  ["other", "end_turn"],
]);

/** If the raw reason is one of the Messages API, it is more precise than the SDK's. */
const OWN: ReadonlySet<string> = new Set<StopReason>([
  "stop_sequence",
  "pause_turn",
  "compaction",
  "refusal",
  "model_context_window_exceeded",
]);

/** Version 2 has one reason; later versions have the SDK's and the provider's. */
function stopReason(given: unknown): StopReason {
  const { unified, raw } = typeof given === "string" ? { unified: given, raw: given } : shapeOf(given);
  if (unified === "error")
    throw new ModelError("server", "The provider reported that an error ended the response.");
  const reason = OWN.has(stringOf(raw)) ? (raw as StopReason) : REASONS.get(stringOf(unified));
  // Providers report a connection that ended too early in one of these forms.
  const isUnexplained = unified === "other" && stringOf(raw) === "";
  if (reason === undefined || isUnexplained) throw new ModelError("cut", NO_STOP_REASON);
  return reason;
}
