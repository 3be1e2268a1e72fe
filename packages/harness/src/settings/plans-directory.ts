/** `plansDirectory`: the folder where plans are saved. */

import { isAbsolute, relative, resolve } from "node:path";
import type { LoadedSettings } from "./loaded.ts";

/**
 * Returns the absolute path of the folder that `plansDirectory` names, relative to the project; undefined without such a
 * setting in a trusted file. A path outside of the project counts only in the user's own settings.
 */
export function plansDirectory(
  { other, root }: Pick<LoadedSettings, "other" | "root">,
  home: string,
): string | undefined {
  for (const { value, trusted, level } of other.get("plansDirectory") ?? []) {
    if (!trusted || typeof value !== "string" || value.trim() === "") continue;
    const path = resolve(
      root,
      value.trim().replace(/^~(?=\/|$)/, () => home),
    );
    const isOwn = level !== "project" && level !== "local";
    if (isOwn || isBelow(path, root)) return path;
  }
  return undefined;
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith("../");
}
