/** Time that moves when a test says so. */

import { wrong } from "@runahead/base";
import type { Clock } from "@runahead/engine";

/** A clock for tests. Made by {@link createFakeClock}. */
export interface FakeClock extends Clock {
  /**
   * Moves time by this many milliseconds, and runs what is due, in the order of time.
   *
   * @throws RangeError if that is not a number of at least 0.
   */
  advance(ms: number): void;
  /** How many timers are set. */
  readonly pending: number;
}

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

/**
 * Creates a clock that stands still until `advance` is called. Pass it to an executor as `clock`, to test time limits,
 * retries and limits per minute without waiting.
 *
 * @example
 * ```ts
 * import { createFakeClock } from "@runahead/testing";
 *
 * const clock = createFakeClock();
 * clock.after(600_000, () => console.log("timed out"));
 * clock.advance(600_000); // timed out
 * ```
 */
export function createFakeClock(): FakeClock {
  const timers = new Set<Timer>();
  let now = 0;
  const dueBy = (end: number): Timer | undefined =>
    [...timers]
      .filter(({ at }) => at <= end)
      .reduce<Timer | undefined>(
        (first, timer) => (first === undefined || timer.at < first.at ? timer : first),
        undefined,
      );
  return {
    now: () => now,
    after: (delayMs, action) => {
      if (typeof delayMs !== "number") throw wrong("after: the milliseconds", "a number", delayMs);
      if (typeof action !== "function") throw wrong("after: the action", "a function", action);
      const timer = { at: now + Math.max(0, delayMs), action };
      timers.add(timer);
      return timer;
    },
    cancel: (timer) => void timers.delete(timer as Timer),
    advance: (ms) => {
      if (typeof ms !== "number" || !(ms >= 0 && Number.isFinite(ms)))
        throw new RangeError(
          `advance: the milliseconds must be a number of at least 0, not ${typeof ms === "number" ? ms : typeof ms}.`,
        );
      const end = now + ms;
      for (let next = dueBy(end); next !== undefined; next = dueBy(end)) {
        timers.delete(next);
        now = Math.max(now, next.at);
        next.action();
      }
      now = end;
    },
    get pending() {
      return timers.size;
    },
  };
}
