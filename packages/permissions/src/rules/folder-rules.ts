/** Rules wider than one file: everything in its folder, and all edits in the workspace. */

import { posix } from "node:path";
import { escapePath } from "./gitignore.ts";
import { isInWorkspace, type Workspace } from "../paths/paths.ts";

/** Folders of the system, where one file says nothing about its neighbours. */
const SYSTEM = new Set("bin boot dev etc lib lib64 proc root run sbin sys".split(" "));

/** The folders whose files a person can allow together with these names of one file; none where that is too much. */
export function foldersOf(faces: readonly string[], kind: "Edit" | "Read", workspace: Workspace): string[] {
  const folders = [...new Set(faces.map((face) => posix.dirname(face)))];
  const isInside = isInWorkspace(faces, workspace);
  if (kind === "Edit" && !isInside) return [];
  const mayOffer = isInside
    ? (folder: string) => isBelowRoot(folder, workspace)
    : (folder: string) => isOrdinary(folder, workspace);
  return folders.every(mayOffer) ? folders : [];
}

/** A hidden folder of a project often holds what other programs run: hooks, workflows, editor tasks. */
function isBelowRoot(folder: string, { roots }: Workspace): boolean {
  const root = roots.find((one) => folder.startsWith(`${one}/`));
  return root !== undefined && !isHidden(folder.slice(root.length));
}

/** Not the home folder or anything above it, nothing of the system, and no hidden folder such as `~/.ssh`. */
function isOrdinary(folder: string, { home }: Workspace): boolean {
  const names = folder.split("/").slice(1);
  const isHome = folder === home || home.startsWith(`${folder === "/" ? "" : folder}/`);
  return !isHome && names.length > 1 && !SYSTEM.has(names[0] ?? "") && !isHidden(folder);
}

function isHidden(path: string): boolean {
  return /\/\./.test(path);
}

export function folderRule(kind: "Edit" | "Read", folder: string): string {
  return `${kind}(/${escapePath(folder)}/**)`;
}

/** The roots of the workspace that this file is in, by each of its names. */
export function rootsOf(faces: readonly string[], { roots }: Workspace): string[] {
  return roots.filter((root) => faces.some((face) => face.startsWith(`${root}/`)));
}
