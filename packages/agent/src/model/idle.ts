/** A response that says nothing for too long, or never ends, is cut. What keeps a connection alive says nothing. */

import type { Clock } from "@runahead/engine";
import { ModelError } from "./error.ts";

const DEFAULT_IDLE_MS = 120_000;
const DEFAULT_TOTAL_MS = 3_600_000;

/** How long a response may go without content: `RUNAHEAD_STREAM_IDLE_MS`, or 120 s. */
export function idleLimitMs(): number {
  return fromEnvironment("RUNAHEAD_STREAM_IDLE_MS") ?? DEFAULT_IDLE_MS;
}

/** How long a response may take in all: `RUNAHEAD_STREAM_TOTAL_MS`, or an hour. */
function totalLimitMs(): number {
  return fromEnvironment("RUNAHEAD_STREAM_TOTAL_MS") ?? DEFAULT_TOTAL_MS;
}

function fromEnvironment(name: string): number | undefined {
  const given = Number(process.env[name]);
  return Number.isFinite(given) && given > 0 ? given : undefined;
}

export interface IdleLimit<Event> {
  readonly limitMs: number;
  /** Whether an event is content. */
  readonly counts: (event: Event) => boolean;
  /** Of the whole response. */
  readonly totalMs?: number;
  readonly clock?: Clock;
}

/** Both of Node's are monotonic: the wall clock may jump, and a machine may sleep (A16). */
const NODE_CLOCK: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => setTimeout(action, delayMs),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/**
 * Passes events on; ends the source with an error when none that counts has come for the limit. Only waiting is
 * counted, not what the reader does with an event.
 */
export async function* withIdleLimit<Event>(
  events: AsyncIterable<Event>,
  { limitMs, counts, totalMs = totalLimitMs(), clock = NODE_CLOCK }: IdleLimit<Event>,
): AsyncGenerator<Event, void, undefined> {
  const source = events[Symbol.asyncIterator]();
  const end = clock.now() + totalMs;
  let leftMs = limitMs;
  try {
    for (;;) {
      const begun = clock.now();
      const isLast = end - begun < leftMs;
      const next = await nextWithin(source, Math.max(0, isLast ? end - begun : leftMs), clock);
      if (begun >= end || (next === undefined && isLast))
        throw new ModelError("cut", `the response did not end within ${totalMs / 1000} s`);
      if (next === undefined) throw new ModelError("cut", `the model said nothing for ${limitMs / 1000} s`);
      if (next.done === true) return;
      leftMs = counts(next.value) ? limitMs : Math.max(0, leftMs - (clock.now() - begun));
      yield next.value;
    }
  } finally {
    // A source that hangs in a read answers this only when the read ends, so it is not waited for.
    void source.return?.()?.catch(() => {});
  }
}

/** Nothing when the time is over. */
function nextWithin<Event>(
  source: AsyncIterator<Event>,
  limitMs: number,
  clock: Clock,
): Promise<IteratorResult<Event> | undefined> {
  return new Promise((resolve, reject) => {
    // What has come in while the machine slept, or was busy, is read before it is said that nothing came.
    const expire = (): void => void (timer = clock.after(0, () => resolve(undefined)));
    let timer = clock.after(limitMs, expire);
    source
      .next()
      .then(resolve, reject)
      .finally(() => clock.cancel(timer));
  });
}
