/** Files and folders that a sandboxed command cannot read. */

import { accessSync, constants, statSync } from "node:fs";
import { isWithin, looked, realPath } from "./sandbox-paths.ts";

interface Hidden {
  readonly path: string;
  readonly isFolder: boolean;
}

export interface Hiding {
  /** Folders that have the workspace in them: hidden before the workspace is mounted. */
  readonly around: readonly Hidden[];
  readonly others: readonly Hidden[];
  readonly all: readonly Hidden[];
}

/** Of these paths, those that are there and not already hidden by another one. */
export function hidingOf(paths: readonly string[], root: string): Hiding {
  const places = [...new Map(paths.flatMap(placeOf).map((place) => [place.path, place])).values()];
  const isInside = (path: string, folder: string): boolean =>
    path !== folder && isWithin(path, folder) && !(isWithin(root, folder) && isWithin(path, root));
  const folders = places.filter(({ isFolder }) => isFolder);
  const all = places.filter(({ path }) => !folders.some((folder) => isInside(path, folder.path)));
  const isAround = ({ path }: Hidden): boolean => isWithin(root, path);
  return { around: all.filter(isAround), others: all.filter((place) => !isAround(place)), all };
}

/** What we cannot read ourselves, a command cannot read either; each mount that is not needed saves time. */
function placeOf(path: string): Hidden[] {
  const found = looked(() => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return [];
  const isFolder = found.isDirectory();
  const can = (access: number): boolean => looked(() => accessSync(path, access) ?? true) === true;
  // To connect to a socket is to write to it.
  const isReachable = isFolder || can(constants.R_OK) || can(constants.W_OK);
  return isReachable ? [{ path: realPath(path), isFolder }] : [];
}

/** A folder is empty instead, and a file cannot be opened: no devices can be used there. */
export function hide(places: readonly Hidden[]): string[] {
  return places.flatMap(({ path, isFolder }) =>
    isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path],
  );
}

/** Once everything that is mounted in the empty folders is there, nothing can be written to them. */
export function seal(places: readonly Hidden[]): string[] {
  return places.filter(({ isFolder }) => isFolder).flatMap(({ path }) => ["--remount-ro", path]);
}
