/** What tokens and searches cost. The prices of models are in `models.ts`; callers can pass their own. */

import type { Usage } from "./event.ts";

/** Prices of a model, in US dollars per million tokens. */
export interface Price {
  /** Input that is not in the cache. */
  readonly input: number;
  /** Output. */
  readonly output: number;
  /** Input that is read from the cache. */
  readonly cacheRead: number;
  /** Input that is written to the cache. */
  readonly cacheWrite: number;
}

/** US dollars per million searches; all providers charge the same. */
const SEARCHES = 10_000;

/** Returns US dollars. Counts that are negative or not numbers cost nothing. */
export function costOf(usage: Usage, price: Price): number {
  const cost = (count: number, perMillion: number): number => {
    const dollars = (count * perMillion) / 1_000_000;
    return Number.isFinite(dollars) ? Math.max(0, dollars) : 0;
  };
  return (
    cost(usage.inputTokens, price.input) +
    cost(usage.outputTokens, price.output) +
    cost(usage.cacheReadTokens, price.cacheRead) +
    cost(usage.cacheWriteTokens, price.cacheWrite) +
    cost(usage.webSearches ?? 0, SEARCHES)
  );
}
