/** Path helpers of the sandbox. */

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf } from "@runahead/base";

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

/** Resolves links; returns the path itself if it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** Returns the folders between `root` and `path`, outermost first. */
export function foldersBetween(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== root && isWithin(folder, root); folder = dirname(folder))
    folders.unshift(folder);
  return folders;
}

/** The limit of the kernel. */
const MOST_LINKS = 40;

/** Returns the real locations of the links on a path and where it ends; undefined if they form a cycle. */
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

/** Nothing exists there, or nothing that a command could reach. */
const OUT_OF_REACH = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

/** Returns what is at the path, without following a link. */
export function kindOf(path: string): Kind {
  const found = looked(() => lstatSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return "missing";
  if (found.isSymbolicLink()) return "link";
  if (found.isDirectory()) return "folder";
  return found.isFile() ? "file" : "other";
}

/** Runs a file system call; returns undefined if nothing can be reached. */
export function looked<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    if (OUT_OF_REACH.has(codeOf(error))) return undefined;
    throw error;
  }
}
