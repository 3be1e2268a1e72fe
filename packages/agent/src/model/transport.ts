/** Sends a request whose response is a stream of events. */

import { setTimeout as pause } from "node:timers/promises";
import { connectionError, lostConnection, noAnswerWithin } from "./connection-error.ts";
import { idleLimitMs, startLimitMs } from "./idle.ts";
import { patientDispatcher } from "./patient.ts";
import { ModelError, errorOfStatus } from "./error.ts";
import type { ModelEvent } from "./event.ts";
import { EventBatches } from "./reading.ts";
import { type SseEvent, sseEvents } from "./sse.ts";
import type { Target } from "./target.ts";
import { eventsOfWhole } from "./whole-answer.ts";

export interface StreamRequest {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

const ENCODER = new TextEncoder();
const SHOWN_ERROR_CHARS = 10_000;

/** Yields the events of the response, as many at a time as arrived together. Throws a `ModelError` if there is no stream, or if it breaks off. */
export async function* openStream(
  request: StreamRequest,
): AsyncGenerator<readonly SseEvent[], void, undefined> {
  const response = await send(request);
  if (!response.ok) throw await errorOf(response, request.target);
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("text/event-stream")) return yield await wholeAnswer(response, request.target);
  if (response.body === null)
    throw new ModelError("cut", `${request.target.host} sent a response without a body.`);
  try {
    yield* sseEvents(response.body);
  } catch (error) {
    if (request.signal.aborted || error instanceof ModelError) throw error;
    throw lostConnection(error, request.target);
  }
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

async function send({ target, headers, body, signal }: StreamRequest): Promise<Response> {
  const limitMs = startLimitMs();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await fetch(target.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
      // A string would be encoded again for every attempt and every check of its length.
      body: ENCODER.encode(JSON.stringify(body)),
      signal: AbortSignal.any([signal, limit.signal]),
      ...patientDispatcher(Math.max(limitMs, idleLimitMs())),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw limit.signal.aborted ? noAnswerWithin(limitMs, target, error) : connectionError(error, target);
  } finally {
    clearTimeout(timer);
  }
}

async function errorOf(response: Response, target: Target): Promise<ModelError> {
  const text = await response.text().catch(() => "");
  const { status, headers } = response;
  const retryAfter = waitIn((name) => headers.get(name));
  const shouldRetry = headers.get("x-should-retry");
  return errorOfStatus({ status, text: text.slice(0, SHOWN_ERROR_CHARS), retryAfter, shouldRetry }, target);
}

/** Returns the seconds or the date that a server asks to wait for. */
export function waitIn(header: (name: string) => string | null): string | null {
  const ms = header("retry-after-ms") ?? "";
  if (ms.trim() !== "" && Number.isFinite(Number(ms))) return String(Number(ms) / 1000);
  return header("retry-after");
}

/** Some servers do not stream, or report an error with the status of a success: the whole answer is one object. */
async function wholeAnswer(response: Response, target: Target): Promise<readonly SseEvent[]> {
  const text = await response.text().catch(() => "");
  const events = eventsOfWhole(text);
  if (events === undefined) throw notAStream(response, text, target);
  return events.map((event) => ({ event: undefined, data: JSON.stringify(event) }));
}

/** A portal or a proxy answers with a page. It would do so again, so this is not retried. */
function notAStream(response: Response, text: string, target: Target): ModelError {
  const type = response.headers.get("content-type") ?? "no content type";
  const begins = text === "" ? "an empty body" : `"${text.slice(0, 80).toWellFormed()}"`;
  const check = target.addressFrom === undefined ? "your proxy" : `${target.addressFrom} and your proxy`;
  return new ModelError(
    "protocol",
    `${target.host} answered with ${type} instead of an event stream: ${begins}. Check ${check}.`,
  );
}
