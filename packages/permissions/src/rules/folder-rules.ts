/** Rules that cover more than one file: everything in its folder, and all edits in the workspace. */

import { posix } from "node:path";
import { escapePath } from "./gitignore.ts";
import { isInWorkspace, type Workspace } from "../paths/paths.ts";

/** System folders, where permission for one file says nothing about its neighbours. */
const SYSTEM = new Set("bin boot dev etc lib lib64 proc root run sbin sys".split(" "));

/**
 * Returns the folders that the user can allow together with one file, given all its names; empty if that is too much.
 */
export function foldersOf(faces: readonly string[], kind: "Edit" | "Read", workspace: Workspace): string[] {
  const folders = [...new Set(faces.map((face) => posix.dirname(face)))];
  const isInside = isInWorkspace(faces, workspace);
  if (kind === "Edit" && !isInside) return [];
  const mayOffer = isInside
    ? (folder: string) => isBelowRoot(folder, workspace)
    : (folder: string) => isOrdinary(folder, workspace);
  return folders.every(mayOffer) ? folders : [];
}

/** Hidden folders of a project often contain what other programs run: hooks, workflows, editor tasks. */
function isBelowRoot(folder: string, { roots }: Workspace): boolean {
  const root = roots.find((one) => folder.startsWith(`${one}/`));
  return root !== undefined && !isHidden(folder.slice(root.length));
}

/** Excludes the home folder and its parents, system folders, and hidden folders such as `~/.ssh`. */
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

/** Returns the workspace roots that contain this file, by each of its names. */
export function rootsOf(faces: readonly string[], { roots }: Workspace): string[] {
  return roots.filter((root) => faces.some((face) => face.startsWith(`${root}/`)));
}
