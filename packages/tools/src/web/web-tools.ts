/** Makes the web tools. */

import {
  type Check,
  either,
  checkOptions,
  aBoolean,
  aFunction,
  aNumberFromZero,
  anObject,
} from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import { type WebFetchOptions, webFetchTool } from "./web-fetch.ts";
import { type WebSearchOptions, webSearchTool } from "./web-search.ts";

/** Options of `webTools`. */
export interface WebToolsOptions {
  /** Options of WebFetch. */
  readonly fetch?: WebFetchOptions;
  /** Options of WebSearch; false leaves it out. */
  readonly search?: WebSearchOptions | false;
}

const FETCH_KINDS: Readonly<Record<keyof WebFetchOptions, Check>> = {
  ask: aFunction,
  allowPrivate: aBoolean,
  limitMs: aNumberFromZero,
  network: anObject,
};
const SEARCH_KINDS: Readonly<Record<keyof WebSearchOptions, Check>> = {
  provider: anObject,
  environment: anObject,
  limitMs: aNumberFromZero,
};

/**
 * Makes WebFetch, with a cache of its own, and WebSearch unless `search` is false.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type.
 * @example
 * ```ts
 * const tools = [...fileTools(), ...webTools({ fetch: { limitMs: 10_000 } })];
 * ```
 */
export function webTools(options: WebToolsOptions = {}): AnyTool[] {
  checkOptions(options, { fetch: anObject, search: either(anObject, aBoolean) }, "webTools");
  const { fetch = {}, search = {} } = options;
  checkOptions(fetch, FETCH_KINDS, "webTools: fetch");
  if (search === false) return [webFetchTool(fetch)] as AnyTool[];
  checkOptions(search, SEARCH_KINDS, "webTools: search");
  return [webFetchTool(fetch), webSearchTool(search)] as AnyTool[];
}
