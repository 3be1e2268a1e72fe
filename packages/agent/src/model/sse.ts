/** Server-sent events off a stream of bytes, however it is cut into pieces. */

import { createParser } from "eventsource-parser";
import { ModelError } from "./error.ts";
import { type Shape, isShape } from "@runahead/base";

export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** No event of a model is this large: something else is coming in. */
const MAX_BUFFERED_CHARS = 64 * 1024 * 1024;

/** Bytes to events. A character that is cut in two is put together again. */
export async function* sseEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SseEvent, void, undefined> {
  const ready: SseEvent[] = [];
  let unparsed = 0;
  let last: string | undefined;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      unparsed = 0;
      ready.push({ event, data });
    },
  });
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    unparsed += text.length;
    if (unparsed > MAX_BUFFERED_CHARS) throw new ModelError("protocol", "the server sends text without end");
    parser.feed(text);
    yield* ready.splice(0);
    if (text !== "") last = text.at(-1);
  }
  // A lone CR ends a line too, but the parser waits for what may follow it.
  if (last === "\r") parser.feed("\n");
  yield* ready.splice(0);
}

/** What an event of a model says; every one of them is an object. */
export function objectIn(data: string): Shape {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw notAnObject(data, error);
  }
  if (isShape(value)) return value;
  throw notAnObject(data, undefined);
}

function notAnObject(data: string, cause: unknown): ModelError {
  return new ModelError("protocol", `an event is not a JSON object: ${data.slice(0, 80).toWellFormed()}`, {
    cause,
  });
}
