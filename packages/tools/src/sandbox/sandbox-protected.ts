/** Which places in the folders that a command can write to must stay as they are, also if they are not there yet. */

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
  readonly repositories: Repositories;
  readonly kept: Kept;
  /** Paths that were there when no command ran: what a running one made could become a link before it is mounted. */
  readonly settled: ReadonlySet<string>;
}

export interface Protection {
  readonly places: readonly ProtectedPlace[];
  /** Folders that can be written although one around them is protected, and that cannot be moved or deleted. */
  readonly opened: readonly string[];
  /** Folders with a protected link in them. A link cannot be mounted over, so their list of names stays as it is. */
  readonly frozen: readonly string[];
}

/** Throws where a place cannot be protected, because its links lead in a circle. */
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
    // A repository in a protected folder is as protected as everything in it.
    opened: isUsual
      ? [...repositories.folders, ...kept.folders].filter((path) => !isInAny(path, closed))
      : [],
    frozen: [...new Set(links.map((path) => dirname(path)))],
  };
}

function isInAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder));
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

/**
 * The folders above each place are mounts too: those cannot be renamed, to put others in their place. A mount covers
 * what was mounted below it, so outer ones come first.
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

/** Whether the nearest folder around it that is one or the other is protected. */
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
      `Not run: a protected place in ${folder} is a symbolic link, and the folder has more than ${MOST_ENTRIES} ` +
        "entries to mount. Put the file or folder itself in place of the link.",
    );
  return ["--ro-bind", folder, folder, ...mounted.flatMap((path) => ["--bind", path, path])];
}

/** In a folder beside the workspace only what is there, unless programs that start in the workspace look there too. */
function usualIn(folder: string, { root, home, settled }: Scope): ProtectedPlace[] {
  const all = allIn(folder, home);
  return isWithin(root, folder)
    ? all
    : all.filter(({ path }) => settled.has(path) && kindOf(path) !== "missing");
}

/** The usual places in folders beside the workspace that are there now. */
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
 * A repository that a command makes would run what the command wants, as soon as git is run in this folder. Git takes
 * the folder itself for one, if it has no other, by three names in it. The name `HEAD` cannot be taken: git confuses
 * such a file with the commit.
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
    // Last, since these know what takes their place.
    ...[...folders, ...bare].flatMap(insideGit),
  ];
}

function insideGit(git: string): ProtectedPlace[] {
  return [
    ...PROTECTED_GIT_FOLDERS.map((name) => ({ path: join(git, name), text: undefined })),
    ...[...PROTECTED_GIT_FILES].map(([name, text]) => ({ path: join(git, name), text })),
  ];
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
