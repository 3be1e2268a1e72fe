/** The first step: what files and options say, and the model. */

import type { Model } from "@runahead/agent";
import type { Plugin } from "../../definitions/plugin.ts";
import { type Instructions, instructions } from "../../instructions/instructions.ts";
import { enabledPlugins } from "../../plugins/enabled.ts";
import { type GitState, gitState } from "../../prompt/git-state.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { textsOf } from "../../settings/other-values.ts";
import { watchSettings } from "../../settings/watch.ts";
import type { Surroundings } from "../../surroundings.ts";
import { appendedText } from "../appended-text.ts";
import { ExchangeableModel } from "../model/exchangeable-model.ts";
import { mainModel } from "../model/main-model.ts";
import { ModelControl } from "../model/model-control.ts";
import { deferringModel } from "@runahead/agent/internal";
import { type RunsOutside, excludedCommands } from "../permissions/excluded-commands.ts";
import { withUsableSandbox } from "../permissions/sandbox.ts";
import { ofSources, settingsOptions } from "../settings-flags.ts";
import { outputOptions } from "../structured.ts";
import type { Composition } from "./composition.ts";

/** The models of the main agent. */
interface Models {
  /** With the key that all models use. */
  readonly keyed: Surroundings;
  /** The model of the start. */
  readonly chosen: Model;
  readonly fallback: readonly Model[] | undefined;
  /** Whether the provider searches the web itself. */
  readonly hasSearch: boolean;
  readonly exchangeable: ExchangeableModel;
  /** Makes models by name, and changes the one that answers. */
  readonly control: ModelControl;
  /** The one that answers, whichever it is. */
  readonly model: Model;
}

/** Where definitions are looked for. */
type Where = Surroundings & { readonly isTrusted: boolean };

export interface Foundation extends Models {
  readonly settings: LoadedSettings;
  readonly plugins: readonly Plugin[];
  readonly where: Where;
  /** Whether nothing of the folder and of the user is read. */
  readonly isBare: boolean;
  /** Whether the options say in which permission mode to start. */
  readonly isModeGiven: boolean;
  readonly git: Promise<GitState | undefined>;
  readonly runsOutside: RunsOutside;
  /** Text at the end of the system prompt. */
  readonly appended: string;
  /** What the answer must look like. */
  readonly output: ReturnType<typeof outputOptions>;
  readonly written: Instructions;
  /** Patterns of instruction files that are left out. */
  readonly excludes: readonly string[];
}

/** `standIn` is used if no model is configured. */
export async function foundation(made: Composition, standIn: Model | undefined): Promise<Foundation> {
  const { world, flags, listeners } = made;
  const { cwd, home, env } = world;
  const git = gitState({ cwd, home, env });
  const settings = await withUsableSandbox(await currentSettings(made), {
    ...made,
    onNotice: listeners.onNotice,
  });
  const runsOutside = excludedCommands(settings.sandbox.excludedCommands, home);
  const appended = appendedText(made, settings);
  const output = outputOptions(flags.jsonSchema, cwd);
  const models = await modelsOf(made, settings, standIn);
  const isBare = flags.bare === true;
  const where = { cwd, home, env, isTrusted: settings.isTrusted };
  const excludes = textsOf(settings, "claudeMdExcludes");
  return {
    ...models,
    settings,
    plugins: await pluginsOf(made, settings),
    where,
    isBare,
    isModeGiven: flags.permissionMode !== undefined || flags.dangerouslySkipPermissions === true,
    git,
    runsOutside,
    appended,
    output,
    written: isBare
      ? { files: [], conditional: [], problems: [] }
      : ofSources(flags, await instructions({ ...where, excludes })),
    excludes,
  };
}

async function currentSettings(made: Composition): Promise<LoadedSettings> {
  const { world, flags, listeners, later, closers, report } = made;
  const options = settingsOptions(world, flags);
  const wasSandboxed = (atMs: number): boolean => later.shell?.wasSandboxedAt(atMs) === true;
  const watch = await watchSettings({ ...options, onNotice: listeners.onNotice, wasSandboxed }, (settings) =>
    later.onSettings(settings),
  );
  closers.push(() => watch.close());
  report(watch.current.problems);
  return watch.current;
}

async function modelsOf(
  made: Composition,
  settings: LoadedSettings,
  standIn: Model | undefined,
): Promise<Models> {
  const main = await mainModel(made, settings, standIn);
  const exchangeable = new ExchangeableModel(main.chosen);
  return {
    ...main,
    exchangeable,
    control: new ModelControl({ exchangeable, world: main.keyed, flags: made.flags, settings }),
    model: deferringModel(exchangeable, {
      isDeferred: (tool) => made.later.isDeferred(tool),
      current: () => exchangeable.current,
    }),
  };
}

async function pluginsOf(made: Composition, settings: LoadedSettings): Promise<readonly Plugin[]> {
  const { world, flags, report } = made;
  const { plugins, problems } = await enabledPlugins(world, settings, {
    folders: flags.pluginDir ?? [],
    withoutServers: flags.pluginDirNoMcp ?? [],
    isBare: flags.bare === true,
  });
  report([...problems, ...plugins.flatMap((plugin) => plugin.problems)]);
  return plugins;
}
