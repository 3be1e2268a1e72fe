/** Tokens, as servers count them: cumulative, sometimes missing, never less than before. */

import { shapeOf } from "../system/shape.ts";
import type { Usage } from "./event.ts";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The later count of the same response; what is missing, less or no number is as before. */
export function laterUsage(before: Usage, raw: unknown): Usage {
  const given = shapeOf(raw);
  const later = (name: string, known: number, from = given): number => {
    const count = from[name];
    return typeof count === "number" && Number.isFinite(count) ? Math.max(known, count) : known;
  };
  const searches = later("web_search_requests", before.webSearches ?? 0, shapeOf(given["server_tool_use"]));
  return {
    inputTokens: later("input_tokens", before.inputTokens),
    outputTokens: later("output_tokens", before.outputTokens),
    cacheReadTokens: later("cache_read_input_tokens", before.cacheReadTokens),
    cacheWriteTokens: later("cache_creation_input_tokens", before.cacheWriteTokens),
    ...webSearches(searches),
  };
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    ...webSearches((one.webSearches ?? 0) + (other.webSearches ?? 0)),
  };
}

function webSearches(count: number): Pick<Usage, "webSearches"> {
  return count > 0 ? { webSearches: count } : {};
}
