/** Paths as the file system will see them: absolute, and where their links lead. */

import { readlinkSync, realpathSync } from "node:fs";
import { posix } from "node:path";
import { attempt, type RealPath, resolveThrough } from "../bash/links.ts";
import { codeOf } from "@runahead/base";
import type { Look } from "./disk.ts";

export { type RealPath, resolveThrough };

export interface Workspace {
  readonly cwd: string;
  readonly home: string;
  /** The folders that may be read, and edited in acceptEdits: by their names and by where they really are. */
  readonly roots: readonly string[];
  readonly realpath: RealPath;
  /** The folders and files that this verdict has looked at. */
  readonly look: Look;
  /** The same workspace with nothing looked up yet. */
  anew(limit: number): Workspace;
}

const MAX_LINKS = 40;
/** Where a cycle of links leads: inside no workspace, and matched by no pattern of a path. */
const CYCLE = "/\0link cycle";

export function isCycle(faces: readonly string[]): boolean {
  return faces.some((face) => isInside(face, CYCLE));
}

/** Of the file system; a link that leads nowhere gives the place that a write through it would make. */
export function realPathOnDisk(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return followed(path);
  }
}

/** Name by name, as far as there are links. */
function followed(path: string): string {
  const namesOf = (text: string): string[] => text.split("/").filter((name) => name !== "" && name !== ".");
  let rest = namesOf(path);
  let at = "/";
  for (let links = 0; rest.length > 0; ) {
    const [name = "", ...others] = rest;
    const next = posix.join(at, name);
    const found = name === ".." ? "not a link" : linkAt(next);
    if (found === "nothing") return posix.join(next, ...others);
    if (found === "not a link") {
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

function linkAt(path: string): { readonly target: string } | "not a link" | "nothing" {
  try {
    return { target: readlinkSync(path) };
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "nothing" : "not a link";
  }
}

/** For one verdict: looks at each path once, so that all of it is about the same moment. */
export function lookingOnce(realpath: RealPath): RealPath {
  const seen = new Map<string, string | undefined>();
  return (path) => {
    if (!seen.has(path)) seen.set(path, attempt(path, realpath));
    return seen.get(path);
  };
}

/** A file as it is named and as it really is: a deny looks at each, an allow needs all. */
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
  /** Not a path that this system has, or one that only a shell could tell. */
  | { readonly type: "odd"; readonly why: string; readonly path: string }
  /** No system has such a path. */
  | { readonly type: "impossible"; readonly why: string; readonly path: string };

/** What a tool is given as a path. */
export function readPath(text: string, { cwd, home }: Pick<Workspace, "cwd" | "home">): FilePath {
  const path = posix.resolve(cwd, text);
  if (text.includes("\0")) return { type: "impossible", why: "its path contains a NUL", path };
  if (/^~(?:\/|$)/.test(text)) return { type: "path", path: posix.resolve(home, text.slice(2)) };
  if (text.startsWith("~")) return { type: "odd", why: "its path is relative to another home", path };
  if (/^(?:[A-Za-z]:[\\/]|\\\\|\\\?\?|\/\/[^/])/.test(text))
    return { type: "odd", why: "its path is one of Windows or of the network", path };
  return { type: "path", path };
}
