/** The tools that reach out to the web. */

import type { AnyTool } from "@runahead/engine";
import { type WebFetchOptions, webFetchTool } from "./web-fetch.ts";
import { type WebSearchOptions, webSearchTool } from "./web-search.ts";

export interface WebToolsOptions {
  readonly fetch?: WebFetchOptions;
  /** False leaves WebSearch out. */
  readonly search?: WebSearchOptions | false;
}

/** WebFetch, with a cache of its own, and WebSearch. */
export function webTools({ fetch = {}, search = {} }: WebToolsOptions = {}): AnyTool[] {
  const searching = search === false ? [] : [webSearchTool(search)];
  return [webFetchTool(fetch), ...searching] as AnyTool[];
}
