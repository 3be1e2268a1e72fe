/**
 * Paths as bytes, with one character per byte, so that names that are not valid text are preserved. They are relative to
 * the workspace and use `/` as the separator.
 */

import { isAbsolute, relative, sep } from "node:path";

/** For system calls. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

/** For messages. */
export function shown(path: string): string {
  return bytesOf(path).toString("utf8");
}

/** From ordinary text. */
export function pathOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

export function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Returns the parent folders, the nearest last, without the workspace itself. */
export function foldersAbove(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns whether an absolute path is the folder or below it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Code that runs automatically, and settings that decide what can run: never in a snapshot, never restored. */
const KEPT_NAMES = new Set([".git", ".husky", ".runahead", "node_modules"]);
const SETTINGS = /(?:^|\/)\.claude\/settings(?:\.[\w-]+)?\.json$/;

export function isKeptOut(path: string): boolean {
  const lower = path.toLowerCase();
  return lower.split("/").some((name) => KEPT_NAMES.has(name)) || SETTINGS.test(lower);
}
