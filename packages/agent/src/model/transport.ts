/** One request whose answer is a stream of events. */

import { setTimeout as pause } from "node:timers/promises";
import { ModelError, errorOfStatus } from "./error.ts";
import { type SseEvent, sseEvents } from "./sse.ts";

export interface StreamRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** How long a server may take to begin to answer. */
const CONNECT_LIMIT_MS = 60_000;
const SHOWN_ERROR_CHARS = 10_000;

/** The events of the answer; a `ModelError` where there is no such answer. */
export async function* openStream(request: StreamRequest): AsyncGenerator<SseEvent, void, undefined> {
  const response = await send(request);
  if (!response.ok) throw await errorOf(response);
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("text/event-stream")) throw await notAStream(response, type);
  if (response.body === null) throw new ModelError("cut", "the answer has no body");
  try {
    yield* sseEvents(response.body);
  } catch (error) {
    if (request.signal.aborted || error instanceof ModelError) throw error;
    throw new ModelError("cut", `the connection was cut: ${wordsOf(error)}`, { cause: error });
  }
}

/** Reads with a signal of its own, so that leaving ends a connection that hangs in a read, too. */
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

/** How long a server may take to close what it has ended. */
const END_GRACE_MS = 100;

/** Nothing counts after the end of a response, but a connection that was read to its own end can be used again. */
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

async function send({ url, headers, body, signal }: StreamRequest): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), CONNECT_LIMIT_MS);
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, limit.signal]),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const why = limit.signal.aborted ? `no answer within ${CONNECT_LIMIT_MS / 1000} s` : wordsOf(error);
    throw new ModelError("unreachable", `${new URL(url).host} cannot be reached: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function errorOf(response: Response): Promise<ModelError> {
  const text = await response.text().catch(() => "");
  return errorOfStatus(
    response.status,
    text.slice(0, SHOWN_ERROR_CHARS),
    response.headers.get("retry-after"),
  );
}

/** A portal or a proxy that answers with a page: trying again brings the same page. */
async function notAStream(response: Response, type: string): Promise<ModelError> {
  const text = await response.text().catch(() => "");
  const host = new URL(response.url).host;
  const begins = text === "" ? "an empty body" : `"${text.slice(0, 80).toWellFormed()}"`;
  return new ModelError(
    "protocol",
    `${host} did not answer with a stream but with ${type || "no type"}: ${begins}`,
  );
}

/** Node hides the reason of a failed request one level down. */
function wordsOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}
