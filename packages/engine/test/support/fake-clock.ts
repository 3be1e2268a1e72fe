/** Time that moves when the world says so. */

import type { Clock } from "../../src/runtime/ports.ts";

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(delayMs: number, action: () => void): unknown {
    const timer = { at: this.#now + delayMs, action };
    this.#timers.add(timer);
    return timer;
  }

  cancel(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** How many timers are still set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Goes to the next timer and fires it. */
  advance(): void {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.action();
  }
}
