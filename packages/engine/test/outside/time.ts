/** Time that passes when the world says so. */

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

export class WorldTime {
  #now = 0;
  readonly #timers = new Set<Timer>();

  readonly clock = {
    now: (): number => this.#now,
    after: (delayMs: number, action: () => void): unknown => {
      const timer = { at: this.#now + delayMs, action };
      this.#timers.add(timer);
      return timer;
    },
    cancel: (timer: unknown): void => void this.#timers.delete(timer as Timer),
  };

  get timers(): number {
    return this.#timers.size;
  }

  /** Passes until the next timer fires. */
  pass(): void {
    const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.action();
  }
}
