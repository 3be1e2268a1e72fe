/** Counts of tokens. */

import { shapeOf } from "@runahead/base";

/** Counts tokens. */
export interface Usage {
  /** Input that was not in the cache. */
  readonly inputTokens: number;
  /** Output, thinking included. */
  readonly outputTokens: number;
  /** Input that was read from the cache. */
  readonly cacheReadTokens: number;
  /** Input that was written to the cache. */
  readonly cacheWriteTokens: number;
  /** Searches by the provider's own tool, which cost extra. Default: none. */
  readonly webSearches?: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Counts that are missing or not numbers are zero, because they can come from a file. */
export function addUsage(sum: Usage, more: unknown): Usage {
  const given = shapeOf(more);
  const count = (name: keyof Usage): number => {
    const value = given[name];
    return (sum[name] ?? 0) + (typeof value === "number" && Number.isFinite(value) ? value : 0);
  };
  return {
    inputTokens: count("inputTokens"),
    outputTokens: count("outputTokens"),
    cacheReadTokens: count("cacheReadTokens"),
    cacheWriteTokens: count("cacheWriteTokens"),
    ...searchesOf(count("webSearches")),
  };
}

export function searchesOf(count: number): Pick<Usage, "webSearches"> {
  return count > 0 ? { webSearches: count } : {};
}
