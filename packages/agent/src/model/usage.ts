/** Reads token counts of servers: cumulative, sometimes missing, never lower than before. */

import { shapeOf } from "@runahead/base";
import { type Usage, searchesOf } from "./token-usage.ts";

/** Returns the later count of the same response. Values that are missing, lower or not numbers are ignored. */
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
    ...searchesOf(searches),
  };
}
