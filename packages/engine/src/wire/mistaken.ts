/** Streams that were given to the wrong function would look like responses without calls: they are answered instead. */

import type { CallSink } from "../runtime/ports.ts";
import { shapeOf, stringOf } from "./shape.ts";

type Where = "anthropicCalls" | "openaiCalls";

/** Throws a `TypeError` if it is clear that nothing can be read, or that nobody takes the calls. */
export function checkSource(events: unknown, sink: unknown, where: Where): void {
  const { add, end } = (sink ?? {}) as Partial<CallSink>;
  if (typeof add !== "function" || typeof end !== "function")
    throw new TypeError(`${where} needs an executor as its second argument.`);
  const given = (events ?? {}) as Partial<AsyncIterable<unknown> & PromiseLike<unknown>>;
  if (typeof given[Symbol.asyncIterator] === "function") return;
  const hint = given.then === undefined ? "" : ', not a promise: write "await" before it';
  throw new TypeError(`${where} needs an async iterable of events${hint}.`);
}

/** Throws a `TypeError` for an event that is clearly of the other API, or that is not parsed. */
export function rejectOther(event: unknown, where: Where): void {
  if (event instanceof Uint8Array || (typeof event === "string" && /^(?:data|event):/.test(event)))
    throw new TypeError(`${where} needs events, not their text: parse the server-sent events first.`);
  const { type, choices } = shapeOf(event);
  const [other, isOther] =
    where === "openaiCalls"
      ? ["anthropicCalls", /^(?:message|content_block)_/.test(stringOf(type))]
      : ["openaiCalls", /^response\./.test(stringOf(type)) || Array.isArray(choices)];
  if (isOther) throw new TypeError(`${where} cannot read this stream. Use ${other}.`);
}
