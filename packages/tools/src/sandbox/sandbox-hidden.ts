/** Files and folders that a sandboxed command cannot read. */

import { accessSync, constants, statSync } from "node:fs";
import { isWithin, looked, realPath } from "./sandbox-paths.ts";

interface Hidden {
  readonly path: string;
  readonly isFolder: boolean;
}

export interface Hiding {
  /** Folders that contain the workspace: hidden before the workspace is mounted. */
  readonly around: readonly Hidden[];
  readonly others: readonly Hidden[];
  readonly all: readonly Hidden[];
}

/** Returns the paths that exist and are not already hidden by another one. */
export function hidingOf(paths: readonly string[], root: string): Hiding {
  const places = [...new Map(paths.flatMap(placeOf).map((place) => [place.path, place])).values()];
  const isInside = (path: string, folder: string): boolean =>
    path !== folder && isWithin(path, folder) && !(isWithin(root, folder) && isWithin(path, root));
  const folders = places.filter(({ isFolder }) => isFolder);
  const all = places.filter(({ path }) => !folders.some((folder) => isInside(path, folder.path)));
  const isAround = ({ path }: Hidden): boolean => isWithin(root, path);
  return { around: all.filter(isAround), others: all.filter((place) => !isAround(place)), all };
}

/** Returns the hidden paths in folders that are readable again, although a folder around them is hidden. */
export function hiddenInside(paths: readonly string[], readable: readonly string[]): Hidden[] {
  return paths
    .flatMap(placeOf)
    .filter(({ path }) => readable.some((folder) => path !== folder && isWithin(path, folder)));
}

/** What the agent cannot read, a command cannot read either. Each mount that is left out saves time. */
function placeOf(path: string): Hidden[] {
  const found = looked(() => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return [];
  const isFolder = found.isDirectory();
  const can = (access: number): boolean => looked(() => accessSync(path, access) ?? true) === true;
  // Connecting to a socket needs write permission.
  const isReachable = isFolder || can(constants.R_OK) || can(constants.W_OK);
  return isReachable ? [{ path: realPath(path), isFolder }] : [];
}

/** A hidden folder is empty, and a hidden file cannot be opened, because it is a device on a mount without devices. */
export function hide(places: readonly Hidden[]): string[] {
  return places.flatMap(({ path, isFolder }) =>
    isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path],
  );
}

/** Makes the empty folders read-only once everything inside them is mounted. */
export function seal(places: readonly Hidden[]): string[] {
  return places.filter(({ isFolder }) => isFolder).flatMap(({ path }) => ["--remount-ro", path]);
}
