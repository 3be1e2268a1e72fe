/** Paths as the sandbox needs them. */

import { lstatSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

/** Where it leads; of what is not there, the path itself. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** The folders from below `root` down to the one that holds `path`, from the outermost inwards. */
export function foldersBetween(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isWithin(folder, root); folder = dirname(folder))
    folders.unshift(folder);
  return folders;
}

export type Kind = "missing" | "folder" | "file" | "link" | "other";

/** What is at this path itself. */
export function kindOf(path: string): Kind {
  let found;
  try {
    found = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A file where a folder should be: there is nothing below it.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return "missing";
    throw error;
  }
  if (found === undefined) return "missing";
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}
