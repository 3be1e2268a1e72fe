/** Tokens, as servers count them: cumulative, sometimes missing, never less than before. */

import type { Usage } from "./event.ts";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The later count of the same response; what is missing, less or no number is as before. */
export function laterUsage(before: Usage, raw: unknown): Usage {
  const given = (raw ?? {}) as Record<string, unknown>;
  const later = (name: string, known: number): number => {
    const count = given[name];
    return typeof count === "number" && Number.isFinite(count) ? Math.max(known, count) : known;
  };
  return {
    inputTokens: later("input_tokens", before.inputTokens),
    outputTokens: later("output_tokens", before.outputTokens),
    cacheReadTokens: later("cache_read_input_tokens", before.cacheReadTokens),
    cacheWriteTokens: later("cache_creation_input_tokens", before.cacheWriteTokens),
  };
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  };
}
