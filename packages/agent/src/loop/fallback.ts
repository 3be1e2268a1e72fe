/** Which model takes over when one is overloaded. */

import type { Model } from "../model/event.ts";

/** The first model of the list, or the one after the current model; undefined if none is left. */
export function fallbackAfter(
  current: Model,
  fallback: Model | readonly Model[] | undefined,
): Model | undefined {
  const chain = fallback === undefined ? [] : isList(fallback) ? fallback : [fallback];
  return chain[chain.indexOf(current) + 1];
}

function isList(fallback: Model | readonly Model[]): fallback is readonly Model[] {
  return Array.isArray(fallback);
}
