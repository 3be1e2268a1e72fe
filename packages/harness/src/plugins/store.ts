/**
 * The plugins that the user added, in one private file. Adding a plugin trusts its folder: its hooks and servers run and
 * its allow rules apply.
 */

import { mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isShape } from "@runahead/base";
import { changeFile } from "../settings/change.ts";
import { NotSaved } from "../settings/error.ts";
import { runaheadHome, checkHome } from "../home.ts";
import type { Where } from "../settings/place.ts";
import { readPrivate } from "../settings/private-file.ts";

/** A plugin that the user added. */
export interface InstalledPlugin {
  /** `name`, or `name@marketplace`. */
  readonly id: string;
  /** Absolute path of its folder. */
  readonly path: string;
  /** Where it comes from: a folder or a git address. */
  readonly source: string;
  /** Whether it is used, unless the settings say otherwise. */
  readonly isEnabled: boolean;
  /** Its entry in the marketplace that it comes from, if it comes from one. */
  readonly entry?: Readonly<Record<string, unknown>>;
}

/** The plugins that the user added. */
export interface PluginStore {
  /** Absolute path of the file that they are kept in. */
  readonly path: string;
  /** The folder that plugins from git are cloned into. */
  readonly folder: string;
  /** Returns all plugins; none if the file is damaged or writable by other users. */
  list(): Promise<readonly InstalledPlugin[]>;
  /** Adds or replaces a plugin. Throws `NotSaved` if the file cannot be changed. */
  add(plugin: InstalledPlugin): Promise<void>;
  /** Removes a plugin, not its files. Resolves with whether it was there. */
  remove(id: string): Promise<boolean>;
}

/**
 * Opens the list of a user's plugins.
 *
 * @example
 * ```ts
 * const plugins = await pluginStore({ home: homedir(), env: process.env }).list();
 * ```
 */
export function pluginStore(where: Pick<Where, "home" | "env">): PluginStore {
  checkHome(where, "pluginStore");
  const path = join(runaheadHome(where), "plugins.json");
  return {
    path,
    folder: join(runaheadHome(where), "plugins"),
    list: async () => (await readStore(path)).plugins,
    async add(plugin) {
      const folder = await realpath(resolve(plugin.path));
      if (!(await stat(folder)).isDirectory()) throw new NotSaved(path, `${folder} is not a folder`);
      await change(path, (all) => [...all.filter(({ id }) => id !== plugin.id), { ...plugin, path: folder }]);
    },
    async remove(id) {
      let wasThere = false;
      await change(path, (all) => {
        wasThere = all.some((one) => one.id === id);
        return all.filter((one) => one.id !== id);
      });
      return wasThere;
    },
  };
}

interface Stored {
  readonly plugins: readonly InstalledPlugin[];
  readonly why: string | undefined;
}

async function readStore(path: string): Promise<Stored> {
  const file = await readPrivate(path);
  if (file.type === "missing") return { plugins: [], why: undefined };
  if (file.type === "unknown") return { plugins: [], why: file.why };
  const list = isShape(file.value) ? file.value["plugins"] : undefined;
  if (!Array.isArray(list)) return { plugins: [], why: 'expected {"plugins": […]}' };
  return { plugins: list.flatMap(pluginIn), why: undefined };
}

function pluginIn(value: unknown): InstalledPlugin[] {
  if (!isShape(value)) return [];
  const { id, path, source, isEnabled, entry } = value;
  if (typeof id !== "string" || typeof path !== "string") return [];
  return [
    {
      id,
      path,
      source: typeof source === "string" ? source : path,
      isEnabled: isEnabled !== false,
      ...(isShape(entry) ? { entry } : {}),
    },
  ];
}

async function change(
  path: string,
  to: (plugins: readonly InstalledPlugin[]) => readonly InstalledPlugin[],
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await changeFile({ path, mode: 0o600 }, async () => {
    const { plugins, why } = await readStore(path);
    if (why !== undefined) throw new NotSaved(path, why);
    return `${JSON.stringify({ plugins: to(plugins) }, undefined, 2)}\n`;
  });
}
