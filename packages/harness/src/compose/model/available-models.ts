/** `availableModels`: the models that can be chosen. */

import type { LoadedSettings } from "../../settings/loaded.ts";
import { textsOf } from "../../settings/other-values.ts";
import type { Surroundings } from "../../surroundings.ts";
import { isModelAlias, modelNamed } from "./model-alias.ts";

/** Whether a model can be chosen: it is listed, or belongs to a listed family such as `sonnet`. */
export function isAvailable(name: string, settings: LoadedSettings, env: Surroundings["env"]): boolean {
  const list = textsOf(settings, "availableModels");
  const isRestricted = settings.other.get("availableModels")?.some(({ trusted }) => trusted) === true;
  if (!isRestricted) return true;
  const full = modelNamed(name, env) ?? name;
  return list.some((entry) => {
    if (entry === name || modelNamed(entry, env) === full) return true;
    return isModelAlias(entry) && full.toLowerCase().includes(`-${entry.toLowerCase()}-`);
  });
}
