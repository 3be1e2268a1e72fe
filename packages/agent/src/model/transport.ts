/** Sends a request whose response is a stream of events. */

import { setTimeout as pause } from "node:timers/promises";
import { connectionError, lostConnection } from "./connection-error.ts";
import { longestSilenceMs } from "./idle.ts";
import { patientDispatcher } from "./patient.ts";
import { ModelError, errorOfStatus } from "./error.ts";
import type { ModelEvent } from "./event.ts";
import { EventBatches } from "./reading.ts";
import { BEGUN, MAX_BUFFERED_CHARS, type SseEvent, sseEvents, wholeEvents } from "./sse.ts";
import type { Target } from "./target.ts";

export interface StreamRequest {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

type Bytes = AsyncIterator<Uint8Array, unknown, undefined>;

const ENCODER = new TextEncoder();
const SHOWN_ERROR_CHARS = 10_000;
/** How long the explanation of an error can take after its status. */
const ERROR_TEXT_MS = 2_000;

/** Yields the events of the response, as many at a time as arrived together. Throws a `ModelError` if there is no stream, or if it breaks off. */
export async function* openStream(
  request: StreamRequest,
): AsyncGenerator<readonly SseEvent[], void, undefined> {
  const { target, signal } = request;
  const response = await send(request);
  if (!response.ok) throw await errorOf(response, target);
  if (response.body === null) throw new ModelError("cut", `${target.host} sent a response without a body.`);
  const type = response.headers.get("content-type") ?? "";
  try {
    yield BEGUN;
    if (isEventStream(type)) return yield* sseEvents(response.body);
    const { begins, bytes } = await beginningOf(response.body);
    // Some servers and proxies send events with another content type.
    if (SSE_FIELD.test(begins)) yield* sseEvents(bytes);
    else yield eventsIn(await textOf(bytes), type, target);
  } catch (error) {
    if (signal.aborted || error instanceof ModelError) throw error;
    throw lostConnection(error, target);
  }
}

function isEventStream(type: string): boolean {
  return /^\s*text\/event-stream\b/i.test(type);
}

/** How a stream of events begins: a field or a comment. */
const SSE_FIELD = /^\s*(?:data|event|id|retry)?:/;

interface Beginning {
  /** The first bytes that are not only white space, as text. */
  readonly begins: string;
  /** All bytes, from the first one on. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<Beginning> {
  const source: Bytes = body[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  const decoder = new TextDecoder();
  let begins = "";
  for (let next = await source.next(); next.done !== true; next = await source.next()) {
    seen.push(next.value);
    begins = (begins + decoder.decode(next.value, { stream: true })).trimStart();
    // The longest name of a field and its colon.
    if (begins.length > "retry".length) break;
  }
  return { begins, bytes: followedBy(seen, source) };
}

async function* followedBy(
  seen: readonly Uint8Array[],
  rest: Bytes,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* seen;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Reads up to a limit of characters. */
async function textOf(bytes: AsyncIterable<Uint8Array>, limit = MAX_BUFFERED_CHARS): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of bytes) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > limit) return text.slice(0, limit);
  }
  return text;
}

/** Aborts its own signal at the end, so that leaving the stream also closes a connection that hangs in a read. */
export function closing(signal: AbortSignal, open: (signal: AbortSignal) => EventBatches): EventBatches {
  return new EventBatches(closingBatches(signal, open));
}

async function* closingBatches(
  signal: AbortSignal,
  open: (signal: AbortSignal) => EventBatches,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  const own = new AbortController();
  try {
    yield* open(AbortSignal.any([signal, own.signal])).batches;
  } finally {
    own.abort();
  }
}

/** How long a server can take to close a response that has ended. */
const END_GRACE_MS = 100;

/** Reads on after the end of a response, because only a connection that was read to its end can be reused. */
export async function readToEnd(events: AsyncIterator<unknown>): Promise<void> {
  const limit = new AbortController();
  const drain = async (): Promise<void> => {
    while (!limit.signal.aborted) if ((await events.next()).done === true) return;
  };
  const late = pause(END_GRACE_MS, undefined, { signal: limit.signal });
  await Promise.race([drain(), late]).catch(() => {});
  limit.abort();
  await late.catch(() => {});
}

/** The reader of the response limits how long this takes. */
async function send({ target, headers, body, signal }: StreamRequest): Promise<Response> {
  try {
    return await fetch(target.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
      // A string would be encoded again for every attempt and every check of its length.
      body: ENCODER.encode(JSON.stringify(body)),
      signal,
      ...patientDispatcher(longestSilenceMs()),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw connectionError(error, target);
  }
}

/** A server can break off or hang after the status, which is enough to know what happened. */
async function errorOf(response: Response, target: Target): Promise<ModelError> {
  const { status, headers, body } = response;
  const limit = new AbortController();
  const late = pause(ERROR_TEXT_MS, "", { signal: limit.signal });
  const text = await Promise.race([body === null ? "" : textOf(body, SHOWN_ERROR_CHARS), late]).catch(
    () => "",
  );
  limit.abort();
  await late.catch(() => {});
  const retryAfter = waitIn((name) => headers.get(name));
  const shouldRetry = headers.get("x-should-retry");
  return errorOfStatus({ status, text, retryAfter, shouldRetry }, target);
}

/** Returns the seconds or the date that a server asks to wait for. */
export function waitIn(header: (name: string) => string | null): string | null {
  const ms = header("retry-after-ms") ?? "";
  if (ms.trim() !== "" && Number.isFinite(Number(ms))) return String(Number(ms) / 1000);
  return header("retry-after");
}

/** Some servers do not stream, or report an error with the status of a success: the whole answer is one object. */
function eventsIn(text: string, type: string, target: Target): readonly SseEvent[] {
  const events = wholeEvents(text);
  if (events === undefined) throw notAStream(text, type, target);
  return events;
}

/** A portal or a proxy answers with a page. It would do so again, so this is not retried. */
function notAStream(text: string, type: string, target: Target): ModelError {
  const begins = text === "" ? "an empty body" : `"${text.slice(0, 80).toWellFormed()}"`;
  const check = target.addressFrom === undefined ? "your proxy" : `${target.addressFrom} and your proxy`;
  return new ModelError(
    "protocol",
    `${target.host} answered with ${type || "no content type"} instead of an event stream: ${begins}. Check ${check}.`,
  );
}
