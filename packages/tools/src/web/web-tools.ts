/** The tools that reach out to the web. */

import type { AnyTool } from "@runahead/engine";
import { type WebFetchOptions, webFetchTool } from "./web-fetch.ts";
import { type WebSearchOptions, webSearchTool } from "./web-search.ts";

export interface WebToolsOptions {
  readonly fetch?: WebFetchOptions;
  readonly search?: WebSearchOptions;
}

/** WebFetch, with a cache of its own, and WebSearch. */
export function webTools({ fetch = {}, search = {} }: WebToolsOptions = {}): AnyTool[] {
  return [webFetchTool(fetch), webSearchTool(search)] as AnyTool[];
}
