/** Paths as the sandbox needs them. */

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf } from "@runahead/base";

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

/** More than the system itself follows. */
const MOST_LINKS = 40;

/** The links that a path leads through, each by its real place, and where it ends; undefined where they lead in a circle. */
export function follow(
  path: string,
): { readonly links: readonly string[]; readonly end: string } | undefined {
  const links: string[] = [];
  let at = "/";
  let rest = namesOf(path);
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(at, name);
    const target = kindOf(next) === "link" ? looked(() => readlinkSync(next)) : undefined;
    if (target === undefined) {
      at = next;
      continue;
    }
    if (links.push(next) > MOST_LINKS) return undefined;
    if (target.startsWith("/")) at = "/";
    rest = [...namesOf(target), ...rest];
  }
  return { links, end: at };
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

export type Kind = "missing" | "folder" | "file" | "link" | "other";

/** Nothing is there, or nothing that a command could get at. */
const OUT_OF_REACH = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

/** What is at this path itself. */
export function kindOf(path: string): Kind {
  const found = looked(() => lstatSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return "missing";
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

/** What a look at the disk gives; undefined where nothing can be seen. */
export function looked<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    if (OUT_OF_REACH.has(codeOf(error))) return undefined;
    throw error;
  }
}
