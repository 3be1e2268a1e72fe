/** Takes calls off a raw stream of the Anthropic Messages API. */

import type { CallSink } from "../runtime/ports.ts";
import { Assembly } from "./assemble.ts";
import { endingOf, finishOf } from "./finish.ts";
import { errorText, isIndex, listOf, type Shape, shapeOf, stringOf } from "./shape.ts";
import { checkSource, rejectOther } from "./mistaken.ts";
import { type CallReader, callReader, tap } from "./tap.ts";

/**
 * Takes tool calls off a raw stream of Anthropic's Messages API and passes the stream on.
 *
 * Every event is passed on unchanged and in order. A call is added to the sink before the stop event of its block is
 * passed on, and the sink's `end` is called once. A call whose input was cut off is not added. If you leave the loop
 * early, the response counts as cut off.
 *
 * @param events - The raw events, as `client.messages.create({ stream: true })` of the SDK yields them.
 * @param sink - The executor of this response.
 * @throws TypeError if `events` is not an async iterable, or has the events of another API.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor, anthropicCalls } from "@runahead/engine";
 *
 * export async function show(stream: AsyncIterable<{ type: string }>) {
 *   const executor = new StreamingToolExecutor({ tools: [] });
 *   for await (const event of anthropicCalls(stream, executor)) console.log(event.type);
 *   for await (const update of executor.remaining()) console.log(update);
 * }
 * ```
 */
export function anthropicCalls<Event>(
  events: AsyncIterable<Event>,
  sink: CallSink,
): AsyncIterableIterator<Event> {
  checkSource(events, sink, "anthropicCalls");
  const assembly = new Assembly(sink);
  const reader = new AnthropicReader(assembly);
  return tap(events, assembly, (event) => reader.take(event));
}

/**
 * Creates a reader that takes tool calls off events of Anthropic's Messages API, for a loop that reads the stream
 * itself. It does what {@link anthropicCalls} does, without a promise for each event.
 *
 * @param sink - The executor of this response.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor } from "@runahead/engine";
 * import { createAnthropicReader } from "@runahead/engine/wire";
 *
 * const executor = new StreamingToolExecutor({ tools: [] });
 * const reader = createAnthropicReader(executor);
 * reader.take({ type: "message_start", message: { id: "msg_1" } });
 * reader.finish();
 * ```
 */
export function createAnthropicReader(sink: CallSink): CallReader {
  const assembly = new Assembly(sink);
  const reader = new AnthropicReader(assembly);
  return callReader(assembly, (event) => reader.take(event));
}

class AnthropicReader {
  readonly #assembly: Assembly;
  #messageId: unknown;
  #hasStarted = false;
  /** A copy of the same message is arriving and is ignored. */
  #inCopy = false;
  /** Inputs that arrived completely with the start of their block. */
  readonly #givenInputs = new Map<number, unknown>();
  /** The blocks that have begun and not stopped, by their index: usually one, which is not in the set. */
  #open = -1;
  readonly #alsoOpen = new Set<number>();
  /** The block that began last. */
  #latest = -1;

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  take(event: unknown): void {
    if (this.#inCopy || this.#assembly.ended) return;
    const shape = shapeOf(event);
    switch (shape["type"]) {
      case "content_block_delta":
        return this.#blockDelta(shape);
      case "content_block_start":
        return this.#blockStart(shape);
      case "content_block_stop":
        return this.#blockStop(shape);
      case "message_start":
        return this.#messageStart(shapeOf(shape["message"]));
      case "message_delta":
        return this.#messageDelta(shapeOf(shape["delta"]));
      case "message_stop":
        return this.#messageStop();
      case "error":
        return this.#assembly.fail(errorText(shapeOf(shape["error"])));
      default:
        if (!this.#hasStarted) rejectOther(event, "anthropicCalls");
    }
  }

  #messageStart(message: Shape): void {
    const id = message["id"];
    if (this.#hasStarted && id !== this.#messageId) return this.#assembly.malformed("a second message began");
    // A repeated start before any content is not a copy.
    if (this.#hasStarted && this.#assembly.size > 0) this.#inCopy = true;
    const isRepeated = this.#hasStarted;
    this.#hasStarted = true;
    this.#messageId = id;
    if (!isRepeated) this.#wholeContent(message);
  }

  /** A message that continues the server's own work can begin with whole blocks, and even with its stop reason. */
  #wholeContent(message: Shape): void {
    for (const [index, content_block] of listOf(message["content"]).entries()) {
      this.#blockStart({ index, content_block });
      if (!this.#assembly.ended) this.#blockStop({ index });
    }
    this.#messageDelta(message);
  }

  #blockStart(shape: Shape): void {
    const index = shape["index"] ?? this.#assembly.nextIndex;
    if (!isIndex(index)) return this.#assembly.malformed("a content block began without an index");
    if (this.#assembly.has(index)) return this.#assembly.malformed(`content block ${index} began twice`);
    this.#assembly.liftDoubts();
    this.#latest = index;
    const block = shapeOf(shape["content_block"]);
    if (this.#open < 0) this.#open = index;
    else this.#alsoOpen.add(index);
    if (block["type"] !== "tool_use") return this.#assembly.skip(index);
    if (stringOf(block["id"]) === "")
      return this.#assembly.malformed(`content block ${index} is a call without an id`);
    if (hasMembers(block["input"])) this.#givenInputs.set(index, block["input"]);
    this.#assembly.begin(index, stringOf(block["id"]), stringOf(block["name"]));
  }

  #blockDelta(shape: Shape): void {
    const index = this.#openIndex(shape);
    const delta = shapeOf(shape["delta"]);
    if (index === undefined) {
      // Some gateways send text and thinking for a block that has ended.
      const isLate = this.#hasBegun(shape["index"]) && delta["type"] !== "input_json_delta";
      if (isLate) return this.#assembly.liftDoubts();
      return this.#assembly.malformed(
        `a delta for content block ${String(shape["index"])}, which is not open`,
      );
    }
    this.#assembly.liftDoubts();
    const draft = this.#assembly.draft(index);
    if (draft === undefined) return;
    if (delta["type"] === "input_json_delta") this.#assembly.push(draft, stringOf(delta["partial_json"]));
  }

  /** Some gateways report the end of a block twice, which says nothing new. */
  #blockStop(shape: Shape): void {
    const index = this.#openIndex(shape);
    if (index === undefined) return;
    if (this.#open === index) this.#open = -1;
    else this.#alsoOpen.delete(index);
    const draft = this.#assembly.draft(index);
    if (draft === undefined) return;
    this.#assembly.settle(draft, this.#givenInputs.size === 0 ? undefined : this.#givenInputs.get(index));
  }

  #hasBegun(index: unknown): boolean {
    return isIndex(index) && this.#assembly.has(index);
  }

  /** Some gateways leave the index out; then it is the block that began last. */
  #openIndex(shape: Shape): number | undefined {
    const index = shape["index"] ?? this.#latest;
    return isIndex(index) && (index === this.#open || this.#alsoOpen.has(index)) ? index : undefined;
  }

  #messageDelta(delta: Shape): void {
    const reason = delta["stop_reason"];
    if (typeof reason !== "string") return;
    const finish = finishOf(reason);
    // The last block can be incomplete although its stop event arrived.
    const isCut = finish !== "whole";
    if (!isCut) this.#assembly.completeClosed();
    this.#assembly.announce(endingOf(finish, reason), isCut);
  }

  /** Without a stop reason it is unknown whether the last block was cut off, so an undecided one is dropped. */
  #messageStop(): void {
    this.#assembly.finish({ ok: true });
  }
}

function hasMembers(value: unknown): boolean {
  for (const _name in shapeOf(value)) return true;
  return false;
}
