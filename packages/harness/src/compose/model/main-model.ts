/** The model of the main agent, and the surroundings with the key that all its models use. */

import type { Model } from "@runahead/agent";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Surroundings } from "../../surroundings.ts";
import { modelSurroundings } from "./api-key.ts";
import type { Around } from "../around.ts";
import { NoModel } from "../error.ts";
import { modelWishes } from "./model-wishes.ts";
import { chooseModel, configuredModel } from "./model.ts";
import { spellingNotice } from "./model-spelling.ts";
import { checkAvailable } from "./named-model.ts";
import { providerSearch } from "../tools/search.ts";

interface MainModel {
  /** With the key of `apiKeyHelper`, which runs once. */
  readonly keyed: Surroundings;
  readonly chosen: Model;
  readonly fallback: readonly Model[] | undefined;
  /** Whether the provider searches the web itself. */
  readonly hasSearch: boolean;
}

/** `standIn` is used if no model is configured. */
export async function mainModel(
  { world, flags, listeners }: Around,
  settings: LoadedSettings,
  standIn: Model | undefined,
): Promise<MainModel> {
  const keyed = await modelSurroundings(world, settings);
  const ofEnvironment = configuredModel(keyed.env, {});
  checkAvailable(flags.model ?? ofEnvironment, settings, keyed.env);
  const fromSettings = configuredModel(keyed.env, settings);
  const wishes = modelWishes(world.env, flags, settings);
  for (const name of [flags.model ?? fromSettings, ...(wishes.fallback ?? [])]) {
    const notice = flags.replay === undefined ? spellingNotice(name, keyed.env) : undefined;
    if (notice !== undefined) listeners.onNotice(notice);
  }
  try {
    const { model, fallback, hasSearch } = await chooseModel(keyed, flags, {
      fromSettings,
      webSearch: providerSearch(world, settings),
      wishes,
    });
    return { keyed, chosen: model, fallback, hasSearch };
  } catch (error) {
    if (standIn === undefined || !(error instanceof NoModel)) throw error;
    return { keyed, chosen: standIn, fallback: undefined, hasSearch: false };
  }
}
