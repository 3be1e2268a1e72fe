/** The plugins that are used: those that the user added, as far as `enabledPlugins` does not turn them off. */

import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { isShape } from "@runahead/base";
import { UsageError } from "../compose/error.ts";
import { type Plugin, readPlugin } from "../definitions/plugin.ts";
import type { MoreFolders } from "../definitions/prompt-files.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { Problem } from "../settings/setting.ts";
import type { Surroundings } from "../surroundings.ts";
import { marketplaceObjection } from "./marketplaces.ts";
import { pluginOptions } from "./options.ts";
import { pluginData } from "./data.ts";
import { type InstalledPlugin, pluginStore } from "./store.ts";

/** Plugins that a flag names: they are used in this session only. */
interface GivenPlugins {
  readonly folders: readonly string[];
  /** Folders of plugins whose MCP servers the program runs itself. */
  readonly withoutServers: readonly string[];
  /** Whether only these are used. */
  readonly isBare: boolean;
}

/** Reads the enabled plugins. A plugin that the settings enable and that was not added is reported. */
export async function enabledPlugins(
  world: Surroundings,
  settings: LoadedSettings,
  given: GivenPlugins,
): Promise<{ readonly plugins: readonly Plugin[]; readonly problems: readonly Problem[] }> {
  const own = await givenPlugins(world, settings, given);
  if (given.isBare) return { plugins: own, problems: [] };
  const installed = await pluginStore(world).list();
  const wishes = wishesOf(settings);
  const wanted = installed.filter((plugin) => pluginState(plugin, settings).isOn);
  const refused = wanted.flatMap(({ id, source }) => {
    const why = marketplaceObjection(source, settings, world.cwd);
    return why === undefined ? [] : [{ id, why }];
  });
  const used = wanted.filter(({ id }) => !refused.some((one) => one.id === id));
  const { passEnv } = settings;
  const plugins = await Promise.all(
    used.map(({ id, path, entry }) =>
      readPlugin({
        root: path,
        ...(entry === undefined ? {} : { entry }),
        env: world.env,
        passEnv,
        options: pluginOptions(id, settings),
        data: pluginData(world, id),
      }),
    ),
  );
  const others = plugins.filter(({ name }) => !own.some((one) => one.name === name));
  const problems = refused.map(({ id, why }) => problem(id, `the plugin ${id} is not used: ${why}.`));
  const known = [...installed, ...own.map(({ name }) => ({ id: name }))];
  const all = [...own, ...others];
  return { plugins: all, problems: [...problems, ...missing(wishes, known), ...unmet(all)] };
}

/** A folder that a flag names is trusted, as the flag is the user's. It comes before a plugin with the same name. */
async function givenPlugins(
  world: Surroundings,
  settings: LoadedSettings,
  { folders, withoutServers }: GivenPlugins,
): Promise<readonly Plugin[]> {
  const isForbidden = (settings.other.get("disableSideloadFlags") ?? []).some(
    ({ level, value }) => level === "managed" && value === true,
  );
  if (isForbidden && folders.length + withoutServers.length > 0)
    throw new UsageError("--plugin-dir is refused by disableSideloadFlags in the managed settings");
  const read = async (folder: string): Promise<Plugin> => {
    const root = resolve(world.cwd, folder);
    if ((await stat(root).catch(() => undefined))?.isDirectory() !== true)
      throw new UsageError(`--plugin-dir: ${folder} is not a folder`);
    const objection = marketplaceObjection(root, settings, world.cwd);
    if (objection !== undefined) throw new UsageError(`--plugin-dir: ${objection}`);
    const options = pluginOptions(basename(root), settings);
    const data = pluginData(world, basename(root));
    return readPlugin({ root, env: world.env, passEnv: settings.passEnv, options, data });
  };
  const whole = await Promise.all(folders.map(read));
  const rest = await Promise.all(withoutServers.map(read));
  return [...whole, ...rest.map((plugin) => ({ ...plugin, servers: [] }))];
}

function problem(path: string, message: string): Problem {
  return { severity: "warning", path, key: "", message };
}

interface Wish {
  readonly id: string;
  readonly isOn: boolean;
  readonly from: string;
  readonly trusted: boolean;
}

/** Highest precedence first. */
function wishesOf({ other }: LoadedSettings): Wish[] {
  return (other.get("enabledPlugins") ?? []).flatMap(({ value, name, trusted }) =>
    isShape(value)
      ? Object.entries(value).map(([id, isOn]) => ({ id, isOn: isTurnedOn(isOn), from: name, trusted }))
      : [],
  );
}

/** A list names versions. Every other value that does not say yes turns the plugin off. */
function isTurnedOn(value: unknown): boolean {
  return value === true || Array.isArray(value) || /^(?:true|on|yes|enabled)$/i.test(String(value));
}

/** Turning a plugin off needs no trust. */
function wishFor({ id }: InstalledPlugin, wishes: readonly Wish[]): Wish | undefined {
  return wishes.find((wish) => isSame(wish.id, id) && (wish.trusted || !wish.isOn));
}

/** Whether a plugin is used, and the settings file that decides so; undefined if none does. */
export function pluginState(
  plugin: InstalledPlugin,
  settings: LoadedSettings,
): { readonly isOn: boolean; readonly from: string | undefined } {
  const wish = wishFor(plugin, wishesOf(settings));
  return { isOn: wish?.isOn ?? plugin.isEnabled, from: wish?.from };
}

/** `name@marketplace` also names a plugin that was added as `name`. */
function isSame(wished: string, id: string): boolean {
  return wished === id || wished.split("@", 1)[0] === id;
}

/** Plugins that others need and that are not used. */
function unmet(plugins: readonly Plugin[]): Problem[] {
  return plugins.flatMap((plugin) =>
    plugin.dependencies
      .filter((needed) => !plugins.some(({ name }) => name === needed.name))
      .map((needed) =>
        problem(
          plugin.root,
          `the plugin ${plugin.name} needs the plugin ${needed.name}, which is not added or not enabled.`,
        ),
      ),
  );
}

function missing(wishes: readonly Wish[], installed: readonly Pick<InstalledPlugin, "id">[]): Problem[] {
  const absent = wishes.filter(
    ({ id, isOn, trusted }) => isOn && trusted && !installed.some((plugin) => isSame(id, plugin.id)),
  );
  return absent.map(({ id, from }) => ({
    severity: "warning",
    path: from,
    key: "enabledPlugins",
    message: `${from}: enabledPlugins: ${id} is not added. Run \`runahead plugin add\` with its folder, git address or marketplace.`,
  }));
}

/** The folders with skills and commands of plugins. */
export function moreFolders(plugins: readonly Plugin[]): MoreFolders {
  return {
    skills: plugins.flatMap(({ skills }) => skills),
    commands: plugins.flatMap(({ commands }) => commands),
  };
}

/** The hooks of plugins, for the hook runner. Managed settings can allow only managed hooks. */
export function pluginHooks(plugins: readonly Plugin[], settings: LoadedSettings) {
  if (!hasFileHooks(settings)) return [];
  return plugins.flatMap(({ name, root, hooks, env }) =>
    Object.keys(hooks).length === 0 ? [] : [{ source: `plugin ${name}`, root, trusted: true, hooks, env }],
  );
}

/** Whether hooks of plugins, sub-agents and skills can run: not if only managed hooks can, or none. */
export function hasFileHooks({ entries }: Pick<LoadedSettings, "entries">): boolean {
  return !entries.some(
    ({ setting, status }) =>
      status.type === "in-force" &&
      ((setting.type === "restriction" && setting.name === "allowManagedHooksOnly") ||
        (setting.type === "other" && setting.key === "disableAllHooks" && setting.value === true)),
  );
}
