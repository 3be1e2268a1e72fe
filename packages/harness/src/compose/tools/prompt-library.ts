/** Makes the library of skills and custom commands of a coding agent. */

import type { AnyTool } from "@runahead/engine";
import type { HookRunner, Model, PermissionGate, Session } from "@runahead/agent";
import type { Plugin } from "../../definitions/plugin.ts";
import { hasFileHooks, moreFolders } from "../../plugins/enabled.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { PromptLibrary } from "../../skills/library.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { Around } from "../around.ts";
import type { ExchangeableModel } from "../model/exchangeable-model.ts";
import { namedModel } from "../model/named-model.ts";
import { withAdded } from "./added-skills.ts";
import { isOnlyPlugins } from "../agents/only-plugins.ts";

interface LibraryParts extends Around {
  readonly settings: LoadedSettings;
  readonly gate: PermissionGate;
  readonly session: Session | undefined;
  readonly plugins: readonly Plugin[];
  /** Folders of `--add-dir` that the user trusts. */
  readonly addedFolders: readonly string[];
  readonly hooks: () => HookRunner | undefined;
  readonly bash: () => AnyTool | undefined;
  /** Returns the files that the main agent worked with. */
  readonly touchedFiles: () => readonly string[];
  readonly models: { readonly usual: Model; readonly model: ExchangeableModel; readonly keyed: Surroundings };
}

export function promptLibrary(parts: LibraryParts): PromptLibrary {
  const { world, flags, listeners, settings, plugins, gate, session, hooks, bash } = parts;
  const { usual, model, keyed } = parts.models;
  const { onNotice } = listeners;
  return new PromptLibrary({
    world,
    settings,
    more: withAdded(moreFolders(plugins), parts.addedFolders),
    touchedFiles: parts.touchedFiles,
    ...(isOnlyPlugins(settings, "skills") ? { onlyIn: plugins.map(({ root }) => root) } : {}),
    gate,
    hooks,
    bash,
    sessionId: session?.id ?? "",
    hasHooks: hasFileHooks(settings),
    useModel: async (name, effort) => {
      const isUsual = (name === undefined && effort === undefined) || flags.replay !== undefined;
      const around = { usual, world: keyed, settings, onNotice, effort };
      model.use(isUsual ? undefined : await namedModel(name ?? usual.name, around));
    },
    onNotice,
    isEmpty: flags.bare === true,
  });
}
