/** `plansDirectory`: the folder where plans are saved. */

import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { LoadedSettings } from "./loaded.ts";

/**
 * Returns the absolute path of the folder that `plansDirectory` names, relative to the project; undefined without such a
 * setting in a trusted file. A path outside of the project counts only in the user's own settings, and so does one that a
 * link leads out of the project.
 */
export async function plansDirectory(
  { other, root }: Pick<LoadedSettings, "other" | "root">,
  home: string,
): Promise<string | undefined> {
  const realRoot = await realpath(root).catch(() => root);
  for (const { value, trusted, level } of other.get("plansDirectory") ?? []) {
    if (!trusted || typeof value !== "string" || value.trim() === "") continue;
    const path = resolve(
      root,
      value.trim().replace(/^~(?=\/|$)/, () => home),
    );
    if (level !== "project" && level !== "local") return path;
    const real = await realFolder(path);
    if (real !== undefined && isBelow(path, root) && isBelow(real, realRoot)) return real;
  }
  return undefined;
}

/** The path without links, also if the last folders do not exist yet; undefined if a link leads nowhere. */
async function realFolder(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      return join(await realpath(folder), ...missing);
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT" && !(await isLink(folder));
      if (!isMissing || dirname(folder) === folder) return undefined;
    }
    missing.unshift(folder.slice(dirname(folder).length).replace(/^[/\\]/, ""));
  }
}

/** A link whose target is missing exists itself. */
async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith("../");
}
