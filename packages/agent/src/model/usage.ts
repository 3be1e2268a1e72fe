/** Reads token counts of servers: cumulative, sometimes missing, sometimes corrected. */

import { shapeOf } from "@runahead/base";
import { type Usage, searchesOf } from "./token-usage.ts";

/**
 * Returns the later count of the same response. Values that are missing or not numbers are ignored. The output and the
 * searches only grow. The input can be corrected: what was read from the cache can be counted as input at first.
 */
export function laterUsage(before: Usage, raw: unknown): Usage {
  const given = shapeOf(raw);
  const count = (name: string, known: number, from = given): number => {
    const value = from[name];
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : known;
  };
  const searched = before.webSearches ?? 0;
  const searches = count("web_search_requests", searched, shapeOf(given["server_tool_use"]));
  const input = {
    inputTokens: count("input_tokens", before.inputTokens),
    cacheReadTokens: count("cache_read_input_tokens", before.cacheReadTokens),
    cacheWriteTokens: count("cache_creation_input_tokens", before.cacheWriteTokens),
  };
  // A request is never empty: such counts are not known yet, or no longer.
  const isKnown = input.inputTokens + input.cacheReadTokens + input.cacheWriteTokens > 0;
  return {
    ...before,
    ...(isKnown ? input : {}),
    outputTokens: Math.max(before.outputTokens, count("output_tokens", 0)),
    ...searchesOf(Math.max(searched, searches)),
  };
}
