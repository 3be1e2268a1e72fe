/** Server-sent events off a stream of bytes, however it is cut into pieces. */

import { createParser } from "eventsource-parser";
import { ModelError } from "./error.ts";

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
  }
}
