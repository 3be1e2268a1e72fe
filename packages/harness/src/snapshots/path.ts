/**
 * Paths as the disk has them: bytes, held as one character each, so that a name that is no text is kept as it is.
 * They are relative to the workspace and have `/` between their names.
 */

import { isAbsolute, relative, sep } from "node:path";

/** As the system's calls take it. */
export function bytesOf(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

/** For people. */
export function shown(path: string): string {
  return bytesOf(path).toString("utf8");
}

/** A path that came as text. */
export function pathOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

export function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The folders above it, the nearest last; the workspace itself is not among them. */
export function foldersAbove(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Of absolute paths: whether one is the folder, or below it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Code that runs by itself, and what decides what may run: no snapshot has it, and none is restored over it. */
const KEPT_NAMES = new Set([".git", ".husky", ".runahead", "node_modules"]);
const SETTINGS = /(?:^|\/)\.claude\/settings(?:\.[\w-]+)?\.json$/;

export function isKeptOut(path: string): boolean {
  const lower = path.toLowerCase();
  return lower.split("/").some((name) => KEPT_NAMES.has(name)) || SETTINGS.test(lower);
}
