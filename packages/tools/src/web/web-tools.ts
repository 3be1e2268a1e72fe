/** The tools that reach out to the web. */

import { type OptionKind, checkOptions } from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import { type WebFetchOptions, webFetchTool } from "./web-fetch.ts";
import { type WebSearchOptions, webSearchTool } from "./web-search.ts";

export interface WebToolsOptions {
  readonly fetch?: WebFetchOptions;
  readonly search?: WebSearchOptions;
}

const FETCH_KINDS: Readonly<Record<keyof WebFetchOptions, OptionKind>> = {
  ask: "function",
  allowPrivate: "boolean",
  limitMs: "number",
  network: "object",
  now: "function",
};
const SEARCH_KINDS: Readonly<Record<keyof WebSearchOptions, OptionKind>> = {
  provider: "object",
  environment: "object",
  limitMs: "number",
};

/** WebFetch, with a cache of its own, and WebSearch. */
export function webTools(options: WebToolsOptions = {}): AnyTool[] {
  checkOptions(options, { fetch: "object", search: "object" }, "webTools");
  const { fetch = {}, search = {} } = options;
  checkOptions(fetch, FETCH_KINDS, "webTools: fetch");
  checkOptions(search, SEARCH_KINDS, "webTools: search");
  return [webFetchTool(fetch), webSearchTool(search)] as AnyTool[];
}
