/** `strictPluginOnlyCustomization` of managed settings: files of the user and of repositories define nothing. */

import type { Plugin } from "../../definitions/plugin.ts";
import type { LoadedSettings } from "../../settings/loaded.ts";

/** What files outside of plugins cannot define. */
export type Customization = "skills" | "agents" | "hooks" | "mcp";

/** `true` stands for everything. Any other value than a list or false does too, because it is meant to restrict. */
export function isOnlyPlugins({ other }: Pick<LoadedSettings, "other">, what: Customization): boolean {
  return (other.get("strictPluginOnlyCustomization") ?? [])
    .filter(({ level }) => level === "managed")
    .some(({ value }) => (Array.isArray(value) ? value.includes(what) : value !== false && value !== null));
}

/** Keeps what is in the folder of a plugin. */
export function ofPlugins<File extends { readonly path: string }>(
  files: readonly File[],
  plugins: readonly Pick<Plugin, "root">[],
): File[] {
  return files.filter(({ path }) => plugins.some(({ root }) => path.startsWith(`${root}/`)));
}
