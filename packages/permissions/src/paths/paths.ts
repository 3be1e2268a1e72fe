/** Absolute paths, and where their links lead. */

import { lstatSync, readlinkSync } from "node:fs";
import { posix } from "node:path";
import { attempt, type RealPath, resolveThrough } from "../bash/links.ts";
import { codeOf } from "@runahead/base";
import type { WorkspaceCopy } from "./copies.ts";
import type { Look } from "./disk.ts";

export { type RealPath, resolveThrough };

export interface Workspace {
  readonly cwd: string;
  readonly home: string;
  /** The folders that can be read, and edited in acceptEdits: by name and by resolved path. */
  readonly roots: readonly string[];
  /** Copies of the workspace. They are among the roots. */
  readonly copies: readonly WorkspaceCopy[];
  readonly realpath: RealPath;
  /** The folders and files that this verdict has looked up. */
  readonly look: Look;
  /** Returns the same workspace without cached lookups. */
  anew(limit: number): Workspace;
}

const MAX_LINKS = 40;
/** The result for a cycle of links: outside every workspace, and matched by no path pattern. */
const CYCLE = "/\0link cycle";

export function isCycle(faces: readonly string[]): boolean {
  return faces.some((face) => isInside(face, CYCLE));
}

/**
 * Resolves links on disk, one name at a time; a broken link resolves to the file that a write through it would create.
 * Faster than `realpathSync`, which throws for each path that does not exist.
 */
export function realPathOnDisk(path: string, linkOf = linkAt): string {
  const namesOf = (text: string): string[] => text.split("/").filter((name) => name !== "" && name !== ".");
  let rest = namesOf(path);
  let at = "/";
  for (let links = 0; rest.length > 0; ) {
    const [name = "", ...others] = rest;
    const next = posix.join(at, name);
    const found = name === ".." ? "not a link" : linkOf(next);
    if (found === "nothing" && !others.includes("..")) return posix.join(next, ...others);
    if (typeof found === "string") {
      at = next;
      rest = others;
      continue;
    }
    if (++links > MAX_LINKS) return CYCLE;
    if (found.target.startsWith("/")) at = "/";
    rest = [...namesOf(found.target), ...others];
  }
  return at;
}

/** Like `realPathOnDisk`, but looks at each folder and link once: what it returns is for one verdict. */
export function realPathsOnce(): RealPath {
  const known = new Map<string, Link>();
  const linkOf = (path: string): Link => {
    const found = known.get(path) ?? linkAt(path);
    known.set(path, found);
    return found;
  };
  return (path) => realPathOnDisk(path, linkOf);
}

type Link = { readonly target: string } | "not a link" | "nothing";

function linkAt(path: string): Link {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "nothing";
    return found.isSymbolicLink() ? { target: readlinkSync(path) } : "not a link";
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "nothing" : "not a link";
  }
}

/** Caches lookups for one verdict, so that all of it is about the same moment. */
export function lookingOnce(realpath: RealPath): RealPath {
  const seen = new Map<string, string | undefined>();
  return (path) => {
    if (!seen.has(path)) seen.set(path, attempt(path, realpath));
    return seen.get(path);
  };
}

/** Returns the names of a file: as given and resolved. A deny applies to any of them, an allow needs all. */
export function facesOf(path: string, { cwd, realpath }: Workspace): string[] {
  const named = posix.resolve(path);
  const magic = /^\/proc\/(?:self|thread-self|\d+)\/(root|cwd)(?:\/|$)(.*)$/.exec(named);
  const through = magic === null ? [] : [posix.resolve(magic[1] === "root" ? "/" : cwd, magic[2] ?? "")];
  return [...new Set([named, ...through].flatMap((face) => [face, resolveThrough(face, realpath)]))];
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

export function isInWorkspace(faces: readonly string[], { roots }: Workspace): boolean {
  return faces.every((face) => roots.some((root) => isInside(face, root)));
}

export type FilePath =
  | { readonly type: "path"; readonly path: string }
  /** Not a path of this system, or one that only a shell can resolve. */
  | { readonly type: "odd"; readonly why: string; readonly path: string }
  /** A path that cannot exist on any system. */
  | { readonly type: "impossible"; readonly why: string; readonly path: string };

/** Reads the path that a tool is given. */
export function readPath(text: string, { cwd, home }: Pick<Workspace, "cwd" | "home">): FilePath {
  const path = posix.resolve(cwd, text);
  if (text.includes("\0")) return { type: "impossible", why: "its path contains a NUL character", path };
  if (/^~(?:\/|$)/.test(text)) return { type: "path", path: posix.resolve(home, text.slice(2)) };
  if (text.startsWith("~"))
    return { type: "odd", why: "its path is relative to another user's home folder", path };
  if (/^(?:[A-Za-z]:[\\/]|\\\\|\\\?\?|\/\/[^/])/.test(text))
    return { type: "odd", why: "it is a Windows or network path", path };
  return { type: "path", path };
}
