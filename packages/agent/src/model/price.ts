/**
 * Prices of tokens and searches: list prices of November 2026, without surcharges for very long prompts. Callers can
 * pass their own.
 */

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

type Row = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

/** By the name of the model without its date. Models whose price depends on the prompt's length are left out. */
const PRICES: Readonly<Record<string, Row>> = {
  "claude-fable-5": [10, 50, 1, 12.5],
  "claude-fable-5-1": [10, 50, 0.25, 12.5],
  "claude-opus-4": [15, 75, 1.5, 18.75],
  "claude-opus-4-1": [15, 75, 1.5, 18.75],
  "claude-opus-4-5": [5, 25, 0.5, 6.25],
  "claude-opus-4-6": [5, 25, 0.5, 6.25],
  "claude-opus-4-7": [5, 25, 0.5, 6.25],
  "claude-opus-4-8": [5, 25, 0.5, 6.25],
  "claude-opus-5": [5, 25, 0.5, 6.25],
  "claude-opus-5-5": [4, 20, 0.2, 5],
  "claude-sonnet-4": [3, 15, 0.3, 3.75],
  "claude-sonnet-4-5": [3, 15, 0.3, 3.75],
  "claude-sonnet-4-6": [3, 15, 0.3, 3.75],
  "claude-sonnet-5": [2, 10, 0.2, 2.5],
  "claude-sonnet-5-5": [2, 10, 0.2, 2.5],
  "claude-haiku-4-5": [1, 5, 0.1, 1.25],
  "gpt-4.1": [2, 8, 0.5, 2],
  "gpt-5": [1.25, 10, 0.125, 1.25],
  "gpt-5-mini": [0.25, 2, 0.025, 0.25],
  "gpt-5.2": [1.75, 14, 0.175, 1.75],
  "gpt-5.4": [2.5, 15, 0.25, 2.5],
  "gpt-5.4-mini": [0.75, 4.5, 0.075, 0.75],
  "gpt-5.4-nano": [0.2, 1.25, 0.02, 0.2],
  "gpt-5.5": [5, 30, 0.5, 5],
  "gpt-6-sol": [2, 10, 0.2, 2.5],
  "gpt-6-luna": [0.1, 0.5, 0.01, 0.125],
};

/** A date or `latest` can follow the name. Any other suffix means another model with another price. */
const VERSION = /[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** Returns undefined if the price is unknown, which is not the same as free. */
export function priceOf(modelName: string): Price | undefined {
  const name = modelName.replace(VERSION, "");
  if (!Object.hasOwn(PRICES, name)) return undefined;
  const [input, output, cacheRead, cacheWrite] = PRICES[name] as Row;
  return { input, output, cacheRead, cacheWrite };
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
