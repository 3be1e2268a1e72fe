/** Models that a file or a flag names. */

import type { Effort, Model } from "@runahead/agent";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { textsOf } from "../../settings/other-values.ts";
import type { Surroundings } from "../../surroundings.ts";
import { isAvailable } from "./available-models.ts";
import { UsageError } from "../error.ts";
import { isModelAlias } from "./model-alias.ts";
import { chooseModel } from "./model.ts";
import { spellingNotice } from "./model-spelling.ts";

interface Around {
  readonly usual: Model;
  /** The surroundings with the API key. */
  readonly world: Surroundings;
  readonly settings: LoadedSettings;
  /** How much effort it makes. Default: the model's own. */
  readonly effort?: string | undefined;
  readonly onNotice: (message: string) => void;
}

/** A file can name a model that is not available; then the usual one answers. */
export async function namedModel(
  name: string,
  { usual, world, settings, onNotice, effort }: Around,
): Promise<Model | undefined> {
  if (name !== usual.name && !isAvailable(name, settings, world.env)) {
    onNotice(`The model ${name} is not one of availableModels, or is one of deniedModels.`);
    return undefined;
  }
  const notice = spellingNotice(name, world.env);
  if (notice !== undefined) onNotice(notice);
  if (isModelAlias(name) && !/claude/i.test(usual.name)) return undefined;
  try {
    const wishes = effort === undefined ? {} : { wishes: { effort: effort as Effort, models: {} } };
    return (await chooseModel(world, { model: name }, wishes)).model;
  } catch (error) {
    onNotice(`The model ${name} cannot be used: ${String(error)}`);
    return undefined;
  }
}

/** A model that the user names must be one of `availableModels`. */
export function checkAvailable(
  model: string | undefined,
  settings: LoadedSettings,
  env: Surroundings["env"],
): void {
  if (model === undefined || isAvailable(model, settings, env)) return;
  const list = textsOf(settings, "availableModels").join(", ");
  throw new UsageError(
    list === ""
      ? `model ${model} is one of deniedModels`
      : `model ${model} is not one of availableModels: ${list}`,
  );
}
