/** Real time, and limits on waiting. */

import type { Clock } from "./ports.ts";

export type { Clock };

/** The longest time that a timer can wait. Anything longer means no limit. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delayMs, action) => setTimeout(action, delayMs),
  cancel: (timer) => clearTimeout(timer as number),
};

/** Whether a timer can enforce this limit. Anything else means no limit. */
export function isFiniteLimit(limitMs: number): boolean {
  return limitMs <= LONGEST_TIMER_MS;
}

/** Sets and cancels timers. */
export type Timers = Pick<Clock, "after" | "cancel">;

/** The timers of one call. They end with the call, so that none outlives its turn (promise 5). */
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

/** Stops waiting after the limit, so that no promise is awaited forever. */
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
