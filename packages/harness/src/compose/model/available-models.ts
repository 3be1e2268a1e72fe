/** `availableModels` and `deniedModels`: the models that can be chosen. */

import type { LoadedSettings } from "../../settings/loaded.ts";
import { textsOf } from "../../settings/other-values.ts";
import type { Surroundings } from "../../surroundings.ts";
import { isModelAlias, modelNamed } from "./model-alias.ts";

/** Whether a model can be chosen: it is listed, or belongs to a listed family such as `sonnet`. */
export function isAvailable(name: string, settings: LoadedSettings, env: Surroundings["env"]): boolean {
  if (isListed(name, textsOfAll(settings, "deniedModels"), env)) return false;
  const list = textsOf(settings, "availableModels");
  const isRestricted = settings.other.get("availableModels")?.some(({ trusted }) => trusted) === true;
  if (!isRestricted) return true;
  return isListed(name, list, env);
}

/** Denying needs no trust. */
function textsOfAll({ other }: LoadedSettings, key: string): string[] {
  return (other.get(key) ?? []).flatMap(({ value }) =>
    Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [],
  );
}

function isListed(name: string, list: readonly string[], env: Surroundings["env"]): boolean {
  const full = modelNamed(name, env) ?? name;
  return list.some((entry) => {
    if (entry === name || modelNamed(entry, env) === full) return true;
    return isModelAlias(entry) && full.toLowerCase().includes(`-${entry.toLowerCase()}-`);
  });
}
