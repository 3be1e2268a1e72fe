/** Guesses how many input tokens a server will count, from an estimate and from what it counted before. */

/** Tokens are estimated from characters, which can be too few. */
const LEAST_FACTOR = 1.2;
/** Requests of one size differ a little. */
const MARGIN = 1.1;
/** How much each request with a lower count lowers the guess for the next. */
const FORGET = 0.05;

/** Servers add tokens for each request, message and tool, so small requests have more tokens per character than large ones. */
export class TokenGuess {
  /** The highest recent factor, by the size of the estimate. */
  readonly #factors: number[] = [];

  /** An estimate of a size that was not seen yet has the factor of the next smaller size. */
  of(estimate: number): number {
    let factor = 0;
    for (let size = sizeOf(estimate); size >= 0 && factor === 0; size--) factor = this.#factors[size] ?? 0;
    return Math.ceil(estimate * Math.max(LEAST_FACTOR, factor * MARGIN));
  }

  learn(estimate: number, counted: number): void {
    if (estimate <= 0) return;
    const factor = counted / estimate;
    const size = sizeOf(estimate);
    const before = this.#factors[size] ?? 0;
    this.#factors[size] = factor >= before ? factor : before + (factor - before) * FORGET;
  }
}

function sizeOf(estimate: number): number {
  return Math.floor(Math.log2(Math.max(1, estimate)));
}
