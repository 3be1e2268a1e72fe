/** The events of a session as server-sent events. The id of each is the position to continue from. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentQueue } from "../queue/agent-queue.ts";
import { Problem } from "./problem.ts";

/** Comments keep proxies from closing a quiet connection. */
const COMMENT_MS = 15_000;
/** A reader that takes nothing for this long is disconnected. It can continue from its last event. */
const STALLED_MS = 30_000;

export interface EventStreamRequest {
  readonly queue: AgentQueue;
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly from: number;
  /** True: ends at the current end of the journal. */
  readonly isFinite: boolean;
  /** Whether it has parts of texts. */
  readonly deltas: boolean;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
  /** How long a reader can take nothing, in milliseconds. Default: 30,000. */
  readonly stalledMs?: number;
}

export async function sendEvents(stream: EventStreamRequest): Promise<void> {
  const { queue, id, request, response, from, isFinite, deltas, signal, stalledMs = STALLED_MS } = stream;
  const ended = new AbortController();
  request.on("close", () => ended.abort());
  response.on("close", () => ended.abort());
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  response.write("retry: 1000\n\n");
  const comments = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": \n\n");
  }, COMMENT_MS);
  const over = AbortSignal.any([ended.signal, signal]);
  try {
    const given = { from, isFinite, deltas, signal: over };
    for await (const { position, entry } of queue.events(id, given)) {
      // A part of a text has no id: a reader that reconnects continues after the last entry.
      const place = entry.type === "text-delta" ? "" : `id: ${position}\n`;
      const text = `${place}event: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`;
      // A reader that is slower than the session does not make the server buffer without limit.
      if (!response.write(text) && !(await drained(response, over, stalledMs))) break;
    }
  } finally {
    clearInterval(comments);
    // What a stalled reader has not taken would keep the connection open.
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  }
}

/** Resolves with false if the reader takes nothing for too long, or the stream is over. */
function drained(response: ServerResponse, over: AbortSignal, stalledMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean): void => {
      clearTimeout(timer);
      response.off("drain", onDrain);
      over.removeEventListener("abort", onOver);
      resolve(isDrained);
    };
    const onDrain = (): void => settle(true);
    const onOver = (): void => settle(false);
    const timer = setTimeout(onOver, stalledMs);
    response.once("drain", onDrain);
    over.addEventListener("abort", onOver);
    if (over.aborted) onOver();
  });
}

/** The position after the last event that the reader has seen: the header of a reconnecting browser, or `from`. */
export function positionIn({ headers }: IncomingMessage, from: string | null): number {
  const given = headers["last-event-id"] ?? from ?? "0";
  const position = given === "" ? 0 : Number(given);
  if (!/^\d*$/.test(String(given)) || !Number.isSafeInteger(position))
    throw new Problem(
      400,
      `The position must be a whole number from 0, got ${JSON.stringify(String(given).slice(0, 50))}.`,
    );
  return position;
}
