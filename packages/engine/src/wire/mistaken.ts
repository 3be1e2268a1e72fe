/** A stream that is passed to the wrong function would look like a response without calls, so it is refused. */

import type { CallSink } from "../runtime/ports.ts";
import { shapeOf, stringOf } from "./shape.ts";

type Where = "anthropicCalls" | "openaiCalls";

/** Throws a `TypeError` if the argument is not a stream or the sink cannot take calls. */
export function checkSource(events: unknown, sink: Partial<CallSink>, where: Where): void {
  const given = events as Partial<AsyncIterable<unknown> & PromiseLike<unknown>> | undefined;
  if (given?.[Symbol.asyncIterator] !== undefined && sink?.add !== undefined) return;
  const hint = given?.then === undefined ? "" : ' It was given a promise: write "await".';
  throw new TypeError(`${where} needs an async iterable and an executor.${hint}`);
}

const OF_ANTHROPIC = /^(?:message|content_block)_/;

/** The parts of the AI SDK's own stream. */
const OF_AI_SDK = /^(?:(?:text|reasoning|tool-input)-(?:start|delta|end)|tool-call|stream-start|start-step)$/;

/** Throws a `TypeError` for an event that clearly belongs to another API. */
export function rejectOther(event: unknown, where: Where): void {
  if (typeof event === "string" || event instanceof Uint8Array)
    throw new TypeError(
      `${where} needs parsed events, not text or bytes. Use the stream of the provider's SDK.`,
    );
  const { type, choices } = shapeOf(event);
  const text = stringOf(type);
  if (OF_AI_SDK.test(text))
    throw new TypeError(
      `${where} cannot read a stream of the AI SDK. Use early() of @runahead/adapters/ai-sdk.`,
    );
  const isOpenAi = text.startsWith("response.") || choices !== undefined;
  if (where === "openaiCalls" ? OF_ANTHROPIC.test(text) : isOpenAi)
    throw new TypeError(
      `${where} cannot read this stream. Use ${isOpenAi ? "openaiCalls" : "anthropicCalls"}.`,
    );
}
