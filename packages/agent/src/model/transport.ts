/** Sends a request whose response is a stream of events. */

import { setTimeout as pause } from "node:timers/promises";
import { connectionError, lostConnection, noAnswerWithin } from "./connection-error.ts";
import { ModelError, errorOfStatus } from "./error.ts";
import { type SseEvent, sseEvents } from "./sse.ts";
import type { Target } from "./target.ts";

export interface StreamRequest {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** How long a server can take before it begins to answer. */
const CONNECT_LIMIT_MS = 60_000;
const SHOWN_ERROR_CHARS = 10_000;

/** Yields the events of the response. Throws a `ModelError` if there is no stream, or if it breaks off. */
export async function* openStream(request: StreamRequest): AsyncGenerator<SseEvent, void, undefined> {
  const response = await send(request);
  if (!response.ok) throw await errorOf(response, request.target);
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("text/event-stream")) throw await notAStream(response, request.target);
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
export async function* closing<Event>(
  signal: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<Event>,
): AsyncGenerator<Event, void, undefined> {
  const own = new AbortController();
  try {
    yield* open(AbortSignal.any([signal, own.signal]));
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
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), CONNECT_LIMIT_MS);
  try {
    return await fetch(target.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, limit.signal]),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw limit.signal.aborted
      ? noAnswerWithin(CONNECT_LIMIT_MS, target, error)
      : connectionError(error, target);
  } finally {
    clearTimeout(timer);
  }
}

async function errorOf(response: Response, target: Target): Promise<ModelError> {
  const text = await response.text().catch(() => "");
  const { status, headers } = response;
  const retryAfter = headers.get("retry-after");
  return errorOfStatus({ status, text: text.slice(0, SHOWN_ERROR_CHARS), retryAfter }, target);
}

/** A portal or a proxy answers with a page. It would do so again, so this is not retried. */
async function notAStream(response: Response, target: Target): Promise<ModelError> {
  const text = await response.text().catch(() => "");
  const type = response.headers.get("content-type") ?? "no content type";
  const begins = text === "" ? "an empty body" : `"${text.slice(0, 80).toWellFormed()}"`;
  const check = target.addressFrom === undefined ? "your proxy" : `${target.addressFrom} and your proxy`;
  return new ModelError(
    "protocol",
    `${target.host} answered with ${type} instead of an event stream: ${begins}. Check ${check}.`,
  );
}
