/** What git does not store: exact modes, empty folders, and the files that were left out. */

import { listOf, shapeOf, stringOf } from "@runahead/base";
import { foldersAbove } from "./path.ts";
import type { Found, LeftOut } from "./walk.ts";

export interface Manifest {
  /** Modes of files that differ from git's. */
  readonly modes: ReadonlyMap<string, number>;
  /** Modes of folders that differ from the usual one. */
  readonly folderModes: ReadonlyMap<string, number>;
  readonly emptyFolders: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

export const FOLDER_MODE = 0o755;
const MODE_BITS = 0o7777;

/** The mode that git gives to files. */
export function usualMode(isExecutable: boolean): number {
  return isExecutable ? 0o755 : 0o644;
}

export function manifestOf({ files, folders, leftOut }: Found): Manifest {
  const modes = new Map<string, number>();
  for (const [path, stats] of files) {
    const mode = stats.mode & MODE_BITS;
    if (stats.isFile() && mode !== usualMode((mode & 0o100) !== 0)) modes.set(path, mode);
  }
  const folderModes = new Map<string, number>();
  const filled = new Set(
    [...files.keys(), ...folders.keys()].flatMap((path) => foldersAbove(path).slice(-1)),
  );
  for (const [path, stats] of folders)
    if ((stats.mode & MODE_BITS) !== FOLDER_MODE) folderModes.set(path, stats.mode & MODE_BITS);
  return {
    modes,
    folderModes,
    emptyFolders: [...folders.keys()].filter((path) => !filled.has(path)),
    leftOut,
  };
}

/** Returns the same text for the same workspace, independent of the order. */
export function toText({ modes, folderModes, emptyFolders, leftOut }: Manifest): string {
  return JSON.stringify({
    modes: [...modes].toSorted(byPath),
    folderModes: [...folderModes].toSorted(byPath),
    emptyFolders: emptyFolders.toSorted(),
    leftOut: leftOut.map(({ path, reason }) => [path, reason] as const).toSorted(byPath),
  });
}

function byPath([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

export function fromText(text: string): Manifest {
  const given = shapeOf(JSON.parse(text));
  const leftOut = listOf(given["leftOut"]).map(listOf);
  return {
    modes: modesOf(given["modes"]),
    folderModes: modesOf(given["folderModes"]),
    emptyFolders: listOf(given["emptyFolders"]).map((path) => stringOf(path)),
    leftOut: leftOut.map(([path, reason]) => ({ path: stringOf(path), reason: stringOf(reason) })),
  };
}

function modesOf(pairs: unknown): Map<string, number> {
  return new Map(
    listOf(pairs)
      .map(listOf)
      .map(([path, mode]) => [stringOf(path), Number(mode)]),
  );
}
