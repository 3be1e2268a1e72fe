/** Real time, and limits on waiting. */

import type { Clock } from "./ports.ts";

export type { Clock };

/** Longer than this a timer cannot wait; it means no limit. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => setTimeout(action, delayMs),
  cancel: (timer) => clearTimeout(timer as number),
};

/** Whether a limit can be kept by a timer; anything else means none. */
export function isFiniteLimit(limitMs: number): boolean {
  return limitMs <= LONGEST_TIMER_MS;
}

/** What can set a timer and take it back. */
export type Timers = Pick<Clock, "after" | "cancel">;

/** The timers of one call: they end with it, so that none of them outlives its turn (promise 5). */
export class CallTimers implements Timers {
  readonly #clock: Timers;
  readonly #set = new Set<unknown>();

  constructor(clock: Timers) {
    this.#clock = clock;
  }

  after(delayMs: number, action: () => void): unknown {
    const timer = this.#clock.after(delayMs, () => {
      this.#set.delete(timer);
      action();
    });
    this.#set.add(timer);
    return timer;
  }

  cancel(timer: unknown): void {
    if (this.#set.delete(timer)) this.#clock.cancel(timer);
  }

  end(): void {
    for (const timer of this.#set) this.cancel(timer);
  }
}

/** Gives up waiting after the limit: no promise is waited for without end. */
export function withLimit<Value>(
  timers: Timers,
  limitMs: number,
  value: Value | PromiseLike<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = timers.after(limitMs, () => reject(new Error(`it took longer than ${limitMs / 1000} s`)));
    const settle =
      <Result>(act: (result: Result) => void) =>
      (result: Result): void => {
        timers.cancel(timer);
        act(result);
      };
    Promise.resolve(value).then(settle(resolve), settle(reject));
  });
}
