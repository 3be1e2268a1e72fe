/** Finds a program to start, and never one that the workspace contains. */

import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative } from "node:path";

interface Search {
  /** A folder whose files are not trusted. The repository around it counts as well. */
  readonly workspace: string;
  /** The format of `PATH`. */
  readonly path: string;
}

/** The folders of the system's own programs. */
export const SYSTEM_FOLDERS: readonly string[] = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];

/**
 * Returns the first match on the path that is not in the workspace or in an installed package. `npx` and `npm run` put the
 * workspace's `node_modules/.bin` first.
 */
export function findProgram(name: string, { workspace, path }: Search): string | undefined {
  const root = repositoryAround(realPath(workspace));
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && isForeign(realPath(folder), root))
    .map((folder) => join(folder, name))
    .find((program) => isExecutable(program) && isForeign(realPath(program), root));
}

function isForeign(path: string, root: string): boolean {
  const way = relative(root, path);
  const isOutside = way === ".." || way.startsWith("../") || isAbsolute(way);
  return isOutside && !path.split("/").includes("node_modules");
}

function repositoryAround(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return start;
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
