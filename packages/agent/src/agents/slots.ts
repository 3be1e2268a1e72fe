/** Limits how many sub-agents are at work at the same time. Waiters are served in order. */

type Waiter = (isTaken: boolean) => void;

export class Slots {
  /** How many can be taken. */
  limit: number;
  #taken = 0;
  /** Agents that continue go before agents that start: they are closer to their end and give their slot back sooner. */
  readonly #continuing = new Set<Waiter>();
  readonly #starting = new Set<Waiter>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Resolves with true when a slot is free, and with false if `signal` is aborted first. */
  take(signal: AbortSignal, who: "starting" | "continuing"): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const line = who === "starting" ? this.#starting : this.#continuing;
    return new Promise((resolve) => {
      const leave = (): void => waiter(false);
      const waiter = (isTaken: boolean): void => {
        line.delete(waiter);
        signal.removeEventListener("abort", leave);
        if (isTaken) this.#taken++;
        resolve(isTaken);
      };
      line.add(waiter);
      signal.addEventListener("abort", leave, { once: true });
      this.#serve();
    });
  }

  /** Takes a slot even if none is free. For a call that is already running. */
  force(): void {
    this.#taken++;
  }

  release(): void {
    this.#taken--;
    this.#serve();
  }

  #serve(): void {
    for (const line of [this.#continuing, this.#starting])
      for (const waiter of line) {
        if (this.#taken >= this.limit) return;
        waiter(true);
      }
  }
}
