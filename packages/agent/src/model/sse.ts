/** Parses server-sent events from a stream of bytes. */

import { createParser } from "eventsource-parser";
import { ModelError } from "./error.ts";
import { type Shape, isShape, listOf, shapeOf } from "@runahead/base";
import { eventsOfWhole } from "./whole-answer.ts";

export interface SseEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** The first batch of a response: its headers have arrived, and no event yet. */
export const BEGUN: readonly SseEvent[] = [];

/** No event of a model is this large, so the server sends something else. */
export const MAX_BUFFERED_CHARS = 64 * 1024 * 1024;

/**
 * Yields the events that each chunk completes. Characters that are split between two chunks are joined. A server that
 * answers with one JSON object, although it announced a stream, is read as well.
 */
export async function* sseEvents(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly SseEvent[], void, undefined> {
  let ready: SseEvent[] = [];
  let unparsed = 0;
  let last: string | undefined;
  /** The text before the first event. */
  let head: string | undefined = "";
  const parser = createParser({
    onEvent: (message) => {
      unparsed = 0;
      head = undefined;
      ready.push(message as SseEvent);
    },
  });
  const take = (): SseEvent[] => {
    const taken = ready;
    ready = [];
    return taken;
  };
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    unparsed += text.length;
    if (unparsed > MAX_BUFFERED_CHARS)
      throw new ModelError(
        "protocol",
        "The server sent more than 64 MB without an event. Check the address of the API.",
      );
    if (head !== undefined) head += text;
    parser.feed(text);
    if (ready.length > 0) yield take();
    if (text !== "") last = text.at(-1);
  }
  // A lone CR also ends a line, but the parser waits for a possible LF.
  if (last === "\r") parser.feed("\n");
  yield take();
  // Some servers leave out the empty line after the last event. An event that was cut off does not count.
  parser.feed("\n\n");
  yield take().filter(({ data }) => isEndMark(data) || isJson(data));
  if (head !== undefined) yield wholeEvents(head) ?? [];
}

/** Returns an answer that is not a stream as events. Undefined if it is not an answer. */
export function wholeEvents(text: string): readonly SseEvent[] | undefined {
  return eventsOfWhole(text)?.map((event) => ({ event: undefined, data: JSON.stringify(event) }));
}

function isJson(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

const KEEPING_ALIVE = new Set<string | undefined>(["ping", "keepalive", "keep-alive", "heartbeat"]);

/** Whether an event only keeps the connection open: it has no data, or its name says so and its data is not an object. */
export function saysNothing({ event, data }: SseEvent): boolean {
  if (data.startsWith("{")) return false;
  const text = data.trim();
  return text === "" || (KEEPING_ALIVE.has(event) && !text.startsWith("{"));
}

/** Whether the data of an event is the mark for the end of a stream, which some servers send as a JSON text. */
export function isEndMark(data: string): boolean {
  if (data.startsWith("{")) return false;
  const text = data.trim();
  return text === "[DONE]" || text === '"[DONE]"';
}

/** Parses the data of an event, which must be a JSON object. */
export function objectIn(data: string): Shape {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw notAnObject(data, error);
  }
  // Gemini puts its errors into a list.
  const first = shapeOf(listOf(value)[0]);
  if (isShape(first["error"])) return first;
  if (isShape(value)) return value;
  throw notAnObject(data, undefined);
}

function notAnObject(data: string, cause: unknown): ModelError {
  return new ModelError(
    "protocol",
    `The server sent an event that is not a JSON object: ${data.slice(0, 80).toWellFormed()}`,
    {
      cause,
    },
  );
}
