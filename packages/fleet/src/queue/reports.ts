/** Keeps a problem that comes again and again from filling the log. */

const AGAIN_MS = 60_000;
const MOST = 1_000;

export class Reports {
  readonly #reportedAt = new Map<string, number>();

  /** Whether this reason was not reported within the last minute. Then it counts as reported now. */
  isDue(reason: string): boolean {
    const now = performance.now();
    if (now - (this.#reportedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return false;
    if (this.#reportedAt.size >= MOST) this.#reportedAt.clear();
    this.#reportedAt.set(reason, now);
    return true;
  }
}
