/** Percentiles of the most recent durations. */

const KEPT = 500;

export class Durations {
  readonly #last: number[] = [];
  #next = 0;

  add(durationMs: number): void {
    this.#last[this.#next] = durationMs;
    this.#next = (this.#next + 1) % KEPT;
  }

  summary(): { p50: number; p99: number } {
    const sorted = this.#last.toSorted((one, other) => one - other);
    const at = (share: number): number =>
      Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;
    return { p50: at(0.5), p99: at(0.99) };
  }
}
