/** `plansDirectory`: the folder where plans are saved. */

import { isAbsolute, join, relative, resolve } from "node:path";
import type { LoadedSettings } from "./loaded.ts";
import { type Where, runaheadHome } from "./place.ts";

/**
 * Returns the absolute path of the folder for plans: `plansDirectory` of the settings, relative to the project, or
 * `plans` in Runahead's home. A path outside of the project counts only in the user's own settings.
 *
 * @example
 * ```ts
 * const folder = plansDirectory(await loadSettings({ cwd, home, env }), { home, env });
 * ```
 */
export function plansDirectory(
  { other, root }: Pick<LoadedSettings, "other" | "root">,
  where: Pick<Where, "home" | "env">,
): string {
  for (const { value, trusted, level } of other.get("plansDirectory") ?? []) {
    if (!trusted || typeof value !== "string" || value.trim() === "") continue;
    const path = resolve(
      root,
      value.trim().replace(/^~(?=\/|$)/, () => where.home),
    );
    const isOwn = level !== "project" && level !== "local";
    if (isOwn || isBelow(path, root)) return path;
  }
  return join(runaheadHome(where), "plans");
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith("../");
}
