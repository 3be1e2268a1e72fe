/** Real time, and limits on waiting. */

import type { Clock } from "./ports.ts";

export type { Clock };

/** Longer than this a timer cannot wait; it means no limit. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => setTimeout(action, delayMs),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Whether a limit can be kept by a timer; anything else means none. */
export function isFiniteLimit(limitMs: number): boolean {
  return limitMs <= LONGEST_TIMER_MS;
}

/** Gives up waiting after the limit: no promise is waited for without end. */
export function withLimit<Value>(
  clock: Clock,
  limitMs: number,
  value: Value | Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => reject(new Error(`it took longer than ${limitMs / 1000} s`)));
    const settle =
      <Result>(act: (result: Result) => void) =>
      (result: Result): void => {
        clock.cancel(timer);
        act(result);
      };
    Promise.resolve(value).then(settle(resolve), settle(reject));
  });
}
