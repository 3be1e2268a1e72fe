/** Ends a response that does not begin, sends no content for too long, or does not finish. Keep-alive events are not content. */

import type { Clock } from "@runahead/engine";
import { LONGEST_TIMER_MS, ModelError } from "./error.ts";

const DEFAULT_IDLE_MS = 120_000;
const DEFAULT_START_MS = 600_000;
const DEFAULT_TOTAL_MS = 3_600_000;

/** How long a response that has begun can go without content: `RUNAHEAD_STREAM_IDLE_MS`, default 120 s. */
function idleLimitMs(): number {
  return fromEnvironment("RUNAHEAD_STREAM_IDLE_MS") ?? DEFAULT_IDLE_MS;
}

/** How long a response can take to begin: `RUNAHEAD_STREAM_START_MS`, default 10 min. */
function startLimitMs(): number {
  return fromEnvironment("RUNAHEAD_STREAM_START_MS") ?? DEFAULT_START_MS;
}

/** How long a response can take in total: `RUNAHEAD_STREAM_TOTAL_MS`, default 1 h. */
function totalLimitMs(): number {
  return fromEnvironment("RUNAHEAD_STREAM_TOTAL_MS") ?? DEFAULT_TOTAL_MS;
}

/** The longest that a connection can be silent before one of our own limits ends it. */
export function longestSilenceMs(): number {
  return Math.max(startLimitMs(), idleLimitMs());
}

function fromEnvironment(name: string): number | undefined {
  const given = Number(process.env[name]);
  return Number.isFinite(given) && given > 0 ? Math.min(given, LONGEST_TIMER_MS) : undefined;
}

export interface IdleLimit<Event> {
  /** Whether an event is content. */
  readonly counts: (event: Event) => boolean;
  /** Returns the error of a response that did not begin in time. */
  readonly late: (startMs: number) => ModelError;
  /** The limit until the first event. A server can queue the request, or read a long prompt, before it answers. */
  readonly startMs?: number;
  /** The limit without content after the first event, which needs no content. */
  readonly limitMs?: number;
  /** The limit for the whole response. */
  readonly totalMs?: number;
  readonly clock?: Clock;
}

/** Monotonic, because the wall clock can jump when the machine sleeps (A16). */
const NODE_CLOCK: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => setTimeout(action, delayMs),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/**
 * Passes events on, and throws a `ModelError` if no content comes within the limit. Only the time spent waiting
 * counts, not the time that the reader takes for an event.
 */
export async function* withIdleLimit<Event>(
  events: AsyncIterable<Event>,
  limit: IdleLimit<Event>,
): AsyncGenerator<Event, void, undefined> {
  const { counts, late, clock = NODE_CLOCK } = limit;
  const { startMs = startLimitMs(), limitMs = idleLimitMs(), totalMs = totalLimitMs() } = limit;
  const source = events[Symbol.asyncIterator]();
  const end = clock.now() + totalMs;
  let hasBegun = false;
  let leftMs = startMs;
  try {
    for (;;) {
      const begun = clock.now();
      const isLast = end - begun < leftMs;
      const next = await nextWithin(source, Math.max(0, isLast ? end - begun : leftMs), clock);
      if (begun >= end || (next === undefined && isLast))
        throw new ModelError(
          "cut",
          `The response did not finish within ${totalMs / 1000} s. Raise RUNAHEAD_STREAM_TOTAL_MS to allow more.`,
        );
      if (next === undefined && !hasBegun) throw late(startMs);
      if (next === undefined)
        throw new ModelError(
          "cut",
          `The model sent nothing for ${limitMs / 1000} s. Raise RUNAHEAD_STREAM_IDLE_MS to wait longer.`,
        );
      if (next.done === true) return;
      if (!hasBegun || counts(next.value)) {
        hasBegun = true;
        leftMs = limitMs;
      } else leftMs = Math.max(0, leftMs - (clock.now() - begun));
      yield next.value;
    }
  } finally {
    // A source that hangs in a read would not return before the read ends, so this does not wait.
    void source.return?.()?.catch(() => {});
  }
}

/** Resolves with undefined after the limit. */
function nextWithin<Event>(
  source: AsyncIterator<Event>,
  limitMs: number,
  clock: Clock,
): Promise<IteratorResult<Event> | undefined> {
  return new Promise((resolve, reject) => {
    // Events that arrived while the machine slept or was busy are read before the limit counts.
    const expire = (): void => void (timer = clock.after(0, () => resolve(undefined)));
    let timer = clock.after(limitMs, expire);
    source
      .next()
      .then(resolve, reject)
      .finally(() => clock.cancel(timer));
  });
}
