/** Streams that were given to the wrong function would look like responses without calls: they are answered instead. */

import type { CallSink } from "../runtime/ports.ts";
import { shapeOf, stringOf } from "./shape.ts";

type Where = "anthropicCalls" | "openaiCalls";

/** Throws a `TypeError` if it is clear that nothing can be read, or that nobody takes the calls. */
export function checkSource(events: unknown, sink: unknown, where: string): void {
  const { add, end } = (sink ?? {}) as Partial<CallSink>;
  if (typeof add !== "function" || typeof end !== "function")
    throw new TypeError(`${where} needs an executor as its second argument (or an object with add and end).`);
  const given = (events ?? {}) as Partial<AsyncIterable<unknown> & PromiseLike<unknown>>;
  if (typeof given[Symbol.asyncIterator] === "function") return;
  const hint = typeof given.then === "function" ? ' It was given a promise: write "await" before it.' : "";
  throw new TypeError(`${where} needs a stream, which is an async iterable of events.${hint}`);
}

/** Throws a `TypeError` for an event that is clearly of another API, or that is not parsed. */
export function rejectOther(event: unknown, where: Where): void {
  const isText = typeof event === "string" && /^(?:data|event):/.test(event);
  if (isText || event instanceof Uint8Array)
    throw new TypeError(
      `${where} needs the events of the stream, not its text: parse the server-sent events first.`,
    );
  const shape = shapeOf(event);
  const type = stringOf(shape["type"]);
  if (where === "openaiCalls") {
    if (/^(?:message|content_block)_(?:start|delta|stop)$/.test(type))
      throw new TypeError("openaiCalls was given events of Anthropic's Messages API. Use anthropicCalls.");
  } else if (type.startsWith("response.") || Array.isArray(shape["choices"]))
    throw new TypeError("anthropicCalls was given chunks of OpenAI's API. Use openaiCalls.");
}
