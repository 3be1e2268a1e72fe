/** Which places in the folders that a command can write to must stay as they are, also if they are not there yet. */

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Refusal } from "./refusal.ts";
import { foldersBetween, isWithin, kindOf, realPath } from "./sandbox-paths.ts";
import {
  PROTECTED_AT_HOME,
  PROTECTED_FILES,
  PROTECTED_FOLDERS,
  PROTECTED_GIT_FILES,
  PROTECTED_GIT_FOLDERS,
} from "./sandbox-places.ts";

export interface ProtectedPlace {
  readonly path: string;
  /** What takes its place while it is missing: a file with this text, or a folder. */
  readonly text: string | undefined;
}

interface Scope {
  /** The workspace. */
  readonly root: string;
  /** The person's home folder. */
  readonly home: string;
  /** All folders that can be written to, the workspace too. */
  readonly writable: readonly string[];
  /** In place of the usual places. */
  readonly protected: readonly string[] | undefined;
  readonly readOnly: readonly string[];
}

/** Throws where a place cannot be protected, because it is a link. */
export function protectedPlaces(scope: Scope): ProtectedPlace[] {
  const { writable, readOnly } = scope;
  const named = [...(scope.protected ?? []), ...readOnly].map((path) => ({ path, text: undefined }));
  const usual = scope.protected === undefined ? writable.flatMap((folder) => usualIn(folder, scope)) : [];
  const places = [...usual, ...named]
    .filter(({ path }) => writable.some((folder) => isWithin(path, folder)))
    .map((place) => topmostMissing(place, writable));
  return [...new Map(places.map((place) => [place.path, place])).values()];
}

/** In a folder beside the workspace only what is there, unless programs that start in the workspace look there too. */
function usualIn(folder: string, { root, home }: Scope): ProtectedPlace[] {
  const files = [
    ...PROTECTED_FILES,
    ...PROTECTED_AT_HOME.filter(() => folder === realPath(home)).map((name) => [name, ""] as const),
  ];
  const places = [
    ...PROTECTED_FOLDERS.filter((name) => name !== ".git").map((name) => ({ name, text: undefined })),
    ...files.map(([name, text]) => ({ name, text })),
  ].map(({ name, text }) => ({ path: join(folder, name), text }));
  const all = [...places, ...ofRepository(folder)];
  return isWithin(root, folder) ? all : all.filter(({ path }) => kindOf(path) !== "missing");
}

function ofRepository(folder: string): ProtectedPlace[] {
  const git = join(folder, ".git");
  if (kindOf(git) === "folder") return insideGit(git);
  // A repository that a command makes would run what the command wants. A file says where the repository is.
  return [{ path: git, text: undefined }, ...gitFolders(git).flatMap(insideGit)];
}

/** The folders of the repositories at these places, as far as commands can write to them. */
export function repositoriesIn(writable: readonly string[]): string[] {
  const folders = writable.flatMap((folder) => {
    const git = join(folder, ".git");
    return kindOf(git) === "folder" ? [git] : gitFolders(git);
  });
  return folders.filter((path) => writable.some((folder) => isWithin(path, folder)));
}

function insideGit(git: string): ProtectedPlace[] {
  return [
    ...PROTECTED_GIT_FOLDERS.map((name) => ({ path: join(git, name), text: undefined })),
    ...[...PROTECTED_GIT_FILES].map(([name, text]) => ({ path: join(git, name), text })),
  ];
}

/** Where a `.git` file leads: the folder of a worktree or a submodule, and the one that it shares. */
function gitFolders(file: string): string[] {
  const own = /^gitdir: (.+)$/m.exec(textOf(file))?.[1];
  if (own === undefined) return [];
  const folder = realPath(resolve(dirname(file), own.trim()));
  const shared = textOf(join(folder, "commondir")).trim();
  return shared === "" ? [folder] : [folder, realPath(resolve(folder, shared))];
}

function textOf(path: string): string {
  if (kindOf(path) !== "file") return "";
  return readFileSync(path, "utf8").slice(0, 4_096);
}

/** What is in a folder that is missing can only be kept out with that folder. */
function topmostMissing(place: ProtectedPlace, writable: readonly string[]): ProtectedPlace {
  const { path } = place;
  const root = writable.filter((folder) => isWithin(path, folder)).toSorted(byLength)[0] as string;
  for (const step of [...foldersBetween(root, path), path]) {
    const kind = kindOf(step);
    if (kind === "link")
      throw new Refusal(
        `Not run: ${step} is a symbolic link, and the sandbox cannot keep a command from replacing a link. ` +
          "Put the file or folder itself in its place.",
      );
    if (kind === "missing" && step !== path) return { path: step, text: undefined };
  }
  return place;
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}
