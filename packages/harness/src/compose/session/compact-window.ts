/** `autoCompactWindow`: the conversation is compacted as if the model had a smaller window. */

import type { Model } from "@runahead/agent";
import { factsOf, loweredWindow } from "@runahead/agent/internal";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { valueOfKey } from "../../settings/other-values.ts";
import { isSet, numberIn, programEnvironment } from "../../settings/variables.ts";
import type { Surroundings } from "../../surroundings.ts";

type Environment = Surroundings["env"];

/** The part of the window that is used before the conversation is compacted. */
const USUAL_PART = 0.8;

/**
 * The setting can only lower the window of the model. `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE` is the part of the window, in
 * percent, that is used before the conversation is compacted; it can only lower it too.
 */
export function compactWindow(
  settings: Pick<LoadedSettings, "other" | "env">,
  model: Model,
  inherited: Environment,
): { readonly contextTokens?: number } {
  const { contextTokens } = factsOf(model);
  const wanted = valueOfKey(settings, "autoCompactWindow");
  const given = typeof wanted === "number" && wanted > 0 ? wanted : undefined;
  const percent = numberIn(programEnvironment(inherited, settings.env), "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE");
  const part = percent === undefined ? 1 : Math.min(1, percent / 100 / USUAL_PART);
  const whole = given ?? (part < 1 ? contextTokens : undefined);
  return loweredWindow(whole === undefined ? undefined : Math.floor(whole * part), contextTokens);
}

/** Whether `autoCompactEnabled` or `DISABLE_AUTO_COMPACT` turns automatic compaction off. */
export function hasAutoCompact(
  settings: Pick<LoadedSettings, "other" | "env">,
  inherited: Environment,
): boolean {
  if (isSet(programEnvironment(inherited, settings.env), "DISABLE_AUTO_COMPACT")) return false;
  return valueOfKey(settings, "autoCompactEnabled") !== false;
}

/** `CLAUDE_CODE_MAX_OUTPUT_TOKENS`: the longest response, as far as the model can answer that long. */
export function outputTokens(
  settings: Pick<LoadedSettings, "env">,
  model: Model,
  inherited: Environment,
): { readonly maxTokens?: number } {
  const wanted = numberIn(programEnvironment(inherited, settings.env), "CLAUDE_CODE_MAX_OUTPUT_TOKENS");
  if (wanted === undefined) return {};
  return { maxTokens: Math.floor(Math.min(wanted, factsOf(model).maxOutputTokens ?? wanted)) };
}
