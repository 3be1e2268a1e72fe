/** Decides which paths in writable folders a command must not change or create. */

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../shared/refusal.ts";
import type { Repositories } from "./sandbox-git-folders.ts";
import type { Kept } from "./sandbox-git-guard.ts";
import { NEEDED_FOLDERS } from "./sandbox-git-names.ts";
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
  /** What stands in for it while it is missing: a file with this text; undefined for a folder. */
  readonly text: string | undefined;
}

interface Scope {
  /** The workspace. */
  readonly root: string;
  /** The user's home folder. */
  readonly home: string;
  /** All writable folders, including the workspace. */
  readonly writable: readonly string[];
  /** Replaces the default list. */
  readonly protected: readonly string[] | undefined;
  readonly readOnly: readonly string[];
  readonly repositories: Repositories;
  readonly kept: Kept;
  /** Paths that existed while no command ran: a running command could replace its own files with links before the mount. */
  readonly settled: ReadonlySet<string>;
}

export interface Protection {
  readonly places: readonly ProtectedPlace[];
  /** Writable folders inside a protected one; they cannot be moved or deleted. */
  readonly opened: readonly string[];
  /** Folders that contain a protected link. A link cannot be mounted over, so no entry can be added or removed there. */
  readonly frozen: readonly string[];
}

/** Throws if a path cannot be protected because its links form a cycle. */
export function protectionOf(scope: Scope): Protection {
  const { writable, readOnly, repositories, kept } = scope;
  const isWritable = (path: string): boolean => writable.some((folder) => isWithin(path, folder));
  const named = [...(scope.protected ?? []), ...readOnly].map((path) => ({ path, text: undefined }));
  const isUsual = scope.protected === undefined;
  const usual = isUsual ? writable.flatMap((folder) => usualIn(folder, scope)) : [];
  const inGit = isUsual ? inRepositories(scope) : [];
  const followed = [...inGit, ...usual, ...named]
    .filter(({ path }) => isWritable(path))
    .map((place) => ({ place, ...followedTo(place.path) }));
  const places = followed
    .filter(({ end }) => isWritable(end))
    .map(({ place, end }) => topmostMissing({ ...place, path: end }, writable));
  const links = followed.flatMap((one) => one.links).filter(isWritable);
  const closed = [...usual, ...named].map(({ path }) => followedTo(path).end);
  return {
    places: [...new Map(places.map((place) => [place.path, place])).values()],
    // A repository in a protected folder is protected with it.
    opened: isUsual
      ? [...repositories.folders, ...kept.folders].filter((path) => !isInAny(path, closed))
      : [],
    frozen: [...new Set(links.map((path) => dirname(path)))],
  };
}

function isInAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder));
}

/** Describes frozen folders for the model; can be empty. */
export function frozenWords({ frozen }: Protection): string {
  if (frozen.length === 0) return "";
  return `Nothing can be created, renamed or deleted directly in ${frozen.join(", ")}, because a protected file or folder there is a symbolic link. `;
}

function followedTo(path: string): NonNullable<ReturnType<typeof follow>> {
  const followed = follow(path);
  if (followed !== undefined) return followed;
  throw new Refusal(
    `Not run: the symbolic links at ${path} form a cycle, so the sandbox cannot protect it. Remove them.`,
  );
}

/** Each entry of a frozen folder needs its own mount. */
const MOST_ENTRIES = 500;

interface Mounted extends Protection {
  /** Hidden paths. */
  readonly hidden: readonly string[];
  readonly writable: readonly string[];
}

/**
 * The folders above each path are mounts too, because a mount point cannot be renamed and replaced. A mount covers
 * earlier mounts below it, so outer ones come first.
 */
export function protectingMounts({ places, opened, frozen, hidden, writable }: Mounted): string[] {
  const there = places.map(({ path }) => path).filter((path) => kindOf(path) !== "missing");
  const inFrozen = frozen.map((folder) => join(folder, "link"));
  const above = [...there, ...opened, ...hidden, ...inFrozen].flatMap((path) =>
    writable.filter((folder) => isWithin(path, folder)).flatMap((folder) => foldersBetween(folder, path)),
  );
  const kept = new Set(there);
  const open = new Set([...opened, ...writable]);
  const mounts = new Map<string, readonly string[]>([
    ...above.filter((path) => !isKept(path, { kept, open })).map((path) => [path, bind(path)] as const),
    ...opened.map((path) => [path, bind(path)] as const),
    ...there.map((path) => [path, ["--ro-bind", path, path]] as const),
    ...frozen.map((path) => [path, freeze(path)] as const),
  ]);
  return [...mounts].toSorted(([one], [other]) => byLength(one, other)).flatMap(([, options]) => options);
}

function bind(path: string): string[] {
  return ["--bind", path, path];
}

interface Regions {
  readonly kept: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

/** Whether the nearest enclosing protected or writable folder is a protected one. */
function isKept(path: string, { kept, open }: Regions): boolean {
  for (let at = path; at !== "/"; at = dirname(at)) {
    if (kept.has(at)) return true;
    if (open.has(at)) return false;
  }
  return false;
}

/** What is in the folder can be written; nothing in it can be created, renamed, deleted or replaced. */
function freeze(folder: string): string[] {
  const entries = readdirSync(folder).map((name) => join(folder, name));
  const mounted = entries.filter((path) => ["folder", "file"].includes(kindOf(path)));
  if (mounted.length > MOST_ENTRIES)
    throw new Refusal(
      `Not run: a protected path in ${folder} is a symbolic link, and the folder has more than ${MOST_ENTRIES} ` +
        "entries, too many to protect. Replace the link with the file or folder itself.",
    );
  return ["--ro-bind", folder, folder, ...mounted.flatMap((path) => ["--bind", path, path])];
}

/** In a folder next to the workspace only existing paths count; in one around it, programs may look for all of them. */
function usualIn(folder: string, { root, home, settled }: Scope): ProtectedPlace[] {
  const all = allIn(folder, home);
  return isWithin(root, folder)
    ? all
    : all.filter(({ path }) => settled.has(path) && kindOf(path) !== "missing");
}

/** Returns the default paths that exist in folders next to the workspace. */
export function placesBeside({ root, home, writable }: Pick<Scope, "root" | "home" | "writable">): string[] {
  return writable
    .filter((folder) => !isWithin(root, folder))
    .flatMap((folder) => allIn(folder, home).map(({ path }) => path))
    .filter((path) => kindOf(path) !== "missing");
}

function allIn(folder: string, home: string): ProtectedPlace[] {
  const files = [
    ...PROTECTED_FILES,
    ...PROTECTED_AT_HOME.filter(() => folder === realPath(home)).map((name) => [name, ""] as const),
  ];
  const places = [
    ...PROTECTED_FOLDERS.filter((name) => name !== ".git").map((name) => ({ name, text: undefined })),
    ...files.map(([name, text]) => ({ name, text })),
  ].map(({ name, text }) => ({ path: join(folder, name), text }));
  return [...places, ...notARepository(folder)];
}

/**
 * Prevents a command from creating a repository, whose hooks would run as soon as git is used in this folder. Git also
 * treats the folder itself as a repository if it contains three names. `HEAD` cannot be the one that is blocked: git
 * would confuse the file with the commit.
 */
function notARepository(folder: string): ProtectedPlace[] {
  const git = join(folder, ".git");
  const free = [...NEEDED_FOLDERS]
    .toReversed()
    .find((name) => ["missing", "file"].includes(kindOf(join(folder, name))));
  return [
    ...(kindOf(git) === "folder" ? [] : [{ path: git, text: undefined }]),
    ...(free === undefined ? [] : [{ path: join(folder, free), text: "" }]),
  ];
}

function inRepositories({ repositories, kept }: Scope): ProtectedPlace[] {
  const { folders, bare, files, closed, missing } = repositories;
  const there = kept.files.filter((path) => kindOf(path) !== "missing");
  return [
    ...[...there, ...files, ...closed, ...missing].map((path) => ({ path, text: undefined })),
    // Last, because these define the stand-in.
    ...[...folders, ...bare].flatMap(insideGit),
  ];
}

function insideGit(git: string): ProtectedPlace[] {
  return [
    ...PROTECTED_GIT_FOLDERS.map((name) => ({ path: join(git, name), text: undefined })),
    ...[...PROTECTED_GIT_FILES].map(([name, text]) => ({ path: join(git, name), text })),
  ];
}

/** A path in a missing folder can only be protected by blocking that folder. */
function topmostMissing(place: ProtectedPlace, writable: readonly string[]): ProtectedPlace {
  const { path } = place;
  const root = writable.filter((folder) => isWithin(path, folder)).toSorted(byLength)[0] as string;
  const missing = foldersBetween(root, path).find((step) => kindOf(step) === "missing");
  return missing === undefined ? place : { path: missing, text: undefined };
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}
