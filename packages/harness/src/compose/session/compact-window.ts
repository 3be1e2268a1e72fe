/** `autoCompactWindow`: the conversation is compacted as if the model had a smaller window. */

import type { Model } from "@runahead/agent";
import { factsOf, loweredWindow } from "@runahead/agent/internal";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { valueOfKey } from "../../settings/other-values.ts";

/** The setting can only lower the window of the model. */
export function compactWindow(settings: LoadedSettings, model: Model): { readonly contextTokens?: number } {
  const wanted = valueOfKey(settings, "autoCompactWindow");
  const isGiven = typeof wanted === "number" && wanted > 0;
  return loweredWindow(isGiven ? wanted : undefined, factsOf(model).contextTokens);
}
