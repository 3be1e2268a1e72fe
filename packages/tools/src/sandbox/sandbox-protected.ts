/** Which places in the folders that a command can write to must stay as they are, also if they are not there yet. */

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Refusal } from "../shared/refusal.ts";
import { follow, foldersBetween, isWithin, kindOf, realPath } from "./sandbox-paths.ts";
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

export interface Protection {
  readonly places: readonly ProtectedPlace[];
  /** Folders with a protected link in them. A link cannot be mounted over, so their list of names stays as it is. */
  readonly frozen: readonly string[];
}

/** Throws where a place cannot be protected, because its links lead in a circle. */
export function protectionOf(scope: Scope): Protection {
  const { writable, readOnly } = scope;
  const isWritable = (path: string): boolean => writable.some((folder) => isWithin(path, folder));
  const named = [...(scope.protected ?? []), ...readOnly].map((path) => ({ path, text: undefined }));
  const usual = scope.protected === undefined ? writable.flatMap((folder) => usualIn(folder, scope)) : [];
  const followed = [...usual, ...named]
    .filter(({ path }) => isWritable(path))
    .map((place) => ({ place, ...followedTo(place.path) }));
  const places = followed
    .filter(({ end }) => isWritable(end))
    .map(({ place, end }) => topmostMissing({ ...place, path: end }, writable));
  const links = followed.flatMap((one) => one.links).filter(isWritable);
  return {
    places: [...new Map(places.map((place) => [place.path, place])).values()],
    frozen: [...new Set(links.map((path) => dirname(path)))],
  };
}

/** In words for the model; empty if there is nothing to say. */
export function frozenWords({ frozen }: Protection): string {
  if (frozen.length === 0) return "";
  return `Nothing can be created, renamed or deleted directly in ${frozen.join(", ")}, because a protected file or folder there is a symbolic link. `;
}

function followedTo(path: string): NonNullable<ReturnType<typeof follow>> {
  const followed = follow(path);
  if (followed !== undefined) return followed;
  throw new Refusal(
    `Not run: the symbolic links at ${path} lead in a circle, so the sandbox cannot protect it. Remove them.`,
  );
}

/** Each entry of a frozen folder is a mount of its own. */
const MOST_ENTRIES = 500;

interface Mounted extends Protection {
  /** Paths of what is hidden. */
  readonly hidden: readonly string[];
  readonly writable: readonly string[];
}

/** The folders above each place are mounts too: those cannot be renamed, to put others in their place. */
export function protectingMounts({ places, frozen, hidden, writable }: Mounted): string[] {
  const there = places.map(({ path }) => path).filter((path) => kindOf(path) !== "missing");
  const inFrozen = frozen.map((folder) => join(folder, "link"));
  const above = [...there, ...hidden, ...inFrozen].flatMap((path) =>
    writable.filter((folder) => isWithin(path, folder)).flatMap((folder) => foldersBetween(folder, path)),
  );
  const folders = [...new Set([...frozen, ...above])].toSorted(byLength);
  return [
    ...folders.flatMap((path) => (frozen.includes(path) ? freeze(path) : ["--bind", path, path])),
    ...there.flatMap((path) => ["--ro-bind", path, path]),
  ];
}

/** What is in the folder can be written; nothing in it can be created, renamed, deleted or replaced. */
function freeze(folder: string): string[] {
  const entries = readdirSync(folder).map((name) => join(folder, name));
  const mounted = entries.filter((path) => ["folder", "file"].includes(kindOf(path)));
  if (mounted.length > MOST_ENTRIES)
    throw new Refusal(
      `Not run: a protected place in ${folder} is a symbolic link, and the folder has more than ${MOST_ENTRIES} ` +
        "entries to mount. Put the file or folder itself in place of the link.",
    );
  return ["--ro-bind", folder, folder, ...mounted.flatMap((path) => ["--bind", path, path])];
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
  const missing = foldersBetween(root, path).find((step) => kindOf(step) === "missing");
  return missing === undefined ? place : { path: missing, text: undefined };
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}
