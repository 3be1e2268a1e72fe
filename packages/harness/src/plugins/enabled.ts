/** The plugins that are used: those that the user added, as far as `enabledPlugins` does not turn them off. */

import { isShape } from "@runahead/base";
import { type Plugin, readPlugin } from "../definitions/plugin.ts";
import type { MoreFolders } from "../definitions/prompt-files.ts";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { Problem } from "../settings/setting.ts";
import type { Surroundings } from "../surroundings.ts";
import { marketplaceObjection } from "./marketplaces.ts";
import { pluginOptions } from "./options.ts";
import { pluginData } from "./data.ts";
import { type InstalledPlugin, pluginStore } from "./store.ts";

/** Reads the enabled plugins. A plugin that the settings enable and that was not added is reported. */
export async function enabledPlugins(
  world: Surroundings,
  settings: LoadedSettings,
): Promise<{ readonly plugins: readonly Plugin[]; readonly problems: readonly Problem[] }> {
  const installed = await pluginStore(world).list();
  const wishes = wishesOf(settings);
  const wanted = installed.filter((plugin) => isUsed(plugin, wishes));
  const refused = wanted.flatMap(({ id, source }) => {
    const why = marketplaceObjection(source, settings, world.cwd);
    return why === undefined ? [] : [{ id, why }];
  });
  const used = wanted.filter(({ id }) => !refused.some((one) => one.id === id));
  const { passEnv } = settings;
  const plugins = await Promise.all(
    used.map(({ id, path }) =>
      readPlugin({
        root: path,
        env: world.env,
        passEnv,
        options: pluginOptions(id, settings),
        data: pluginData(world, id),
      }),
    ),
  );
  const problems = refused.map(({ id, why }) => problem(id, `the plugin ${id} is not used: ${why}.`));
  return { plugins, problems: [...problems, ...missing(wishes, installed)] };
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
      ? Object.entries(value).map(([id, isOn]) => ({ id, isOn: isOn !== false, from: name, trusted }))
      : [],
  );
}

/** Turning a plugin off needs no trust. */
function isUsed({ id, isEnabled }: InstalledPlugin, wishes: readonly Wish[]): boolean {
  const named = wishes.filter((wish) => isSame(wish.id, id) && (wish.trusted || !wish.isOn));
  return named[0]?.isOn ?? isEnabled;
}

/** `name@marketplace` also names a plugin that was added as `name`. */
function isSame(wished: string, id: string): boolean {
  return wished === id || wished.split("@", 1)[0] === id;
}

function missing(wishes: readonly Wish[], installed: readonly InstalledPlugin[]): Problem[] {
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
