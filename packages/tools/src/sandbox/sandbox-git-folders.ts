/** The repositories in the folders that a sandboxed command can write to. */

import { type Dirent, lstatSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin, kindOf, looked, realPath } from "./sandbox-paths.ts";

export interface Repositories {
  /** The folders of repositories that have a working tree: `.git`, those of submodules and of linked worktrees. */
  readonly folders: readonly string[];
  /** Repositories without one. Linked worktrees are often kept in them, so unknown names are not kept out. */
  readonly bare: readonly string[];
  /** Files named `.git`, which say where the repository is. */
  readonly files: readonly string[];
  /** More than can be opened one by one: nothing in these can be written. */
  readonly closed: readonly string[];
  /** Where the `.git` of submodules goes that are not checked out: `git status` runs git there. */
  readonly missing: readonly string[];
}

/** How far below a writable folder repositories are looked for, and in how many folders. */
const MOST_DEPTH = 4;
const MOST_FOLDERS = 500;
/** Each takes about ten mounts, and the kernel's work grows with the square of their number. */
const MOST_OPEN = 20;
const MOST_CHARS = 65_536;
const SKIPPED = new Set([".git", "node_modules"]);

function repositoriesIn(writable: readonly string[]): Repositories {
  const isWritable = (path: string): boolean => writable.some((folder) => isWithin(path, folder));
  const found = writable.flatMap(look);
  const named = found.filter(({ type }) => type === "file").flatMap(({ path }) => namedBy(path));
  const first = [...found.filter(({ type }) => type === "folder").map(({ path }) => path), ...named];
  const all = unique(first.flatMap((git) => [git, ...nestedIn(git)])).filter(isWritable);
  const bare = found.filter(({ type }) => type === "bare").map(({ path }) => path);
  const files = [
    ...found.filter(({ type }) => type === "file").map(({ path }) => path),
    ...all.flatMap(fileOf).filter((path) => isWritable(path) && kindOf(path) === "file"),
  ];
  return {
    folders: all.slice(0, MOST_OPEN),
    bare: unique(bare).filter((path) => !all.includes(path)),
    files: unique(files),
    closed: all.slice(MOST_OPEN),
    missing: unique(writable.flatMap(withoutRepository)),
  };
}

/**
 * What of a list is as it was, with repositories that were made meanwhile for the writable folders themselves. The list
 * is made before the first command runs: what a command has made could become a link to anywhere while the next one
 * starts, and would then be mounted.
 */
export class KnownRepositories {
  readonly #list: Repositories;
  readonly #identities: ReadonlyMap<string, string | undefined>;

  constructor(writable: readonly string[]) {
    this.#list = repositoriesIn(writable);
    const { folders, bare, files, closed } = this.#list;
    const paths = [...folders, ...bare, ...files, ...closed];
    this.#identities = new Map(paths.map((path) => [path, identityOf(path)]));
  }

  /** `around` are the writable folders in which commands cannot make a `.git`. */
  now(around: readonly string[]): Repositories {
    const { folders, bare, files, closed, missing } = this.#list;
    const isSame = (path: string): boolean =>
      realPath(path) === path && identityOf(path) === this.#identities.get(path);
    const own = around.map((folder) => join(folder, ".git")).filter((path) => kindOf(path) === "folder");
    return {
      folders: unique([...own, ...folders.filter(isSame)]),
      bare: bare.filter(isSame),
      files: files.filter(isSame),
      closed: closed.filter((path) => isSame(path) && !own.includes(path)),
      missing,
    };
  }
}

/** Numbers of files are used again, so the time of creation counts too. */
export function identityOf(path: string): string | undefined {
  const found = looked(() => lstatSync(path, { throwIfNoEntry: false }));
  return found === undefined ? undefined : `${found.dev}:${found.ino}:${found.birthtimeMs}`;
}

function withoutRepository(folder: string): string[] {
  const paths = [...textOf(join(folder, ".gitmodules")).matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gm)];
  return paths
    .map(([, path = ""]) => join(folder, path))
    .filter((path) => isWithin(path, folder) && path !== folder && realPath(path) === path)
    .filter((path) => kindOf(path) === "folder" && kindOf(join(path, ".git")) === "missing")
    .map((path) => join(path, ".git"));
}

interface Found {
  readonly type: "folder" | "file" | "bare";
  readonly path: string;
}

/** The nearest first, since they come first to git too. */
function look(root: string): Found[] {
  const found: Found[] = [];
  let level = [root];
  let visited = 0;
  for (let depth = 0; depth <= MOST_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (++visited > MOST_FOLDERS) return found;
      const entries = entriesIn(folder);
      found.push(...foundIn(folder, entries));
      const inner = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name));
      next.push(...inner.map(({ name }) => join(folder, name)));
    }
    level = next;
  }
  return found;
}

function foundIn(folder: string, entries: readonly Dirent[]): Found[] {
  const git = entries.find(({ name }) => name === ".git");
  const path = join(folder, ".git");
  if (git?.isDirectory() === true) return [{ type: "folder", path }];
  if (git?.isFile() === true) return [{ type: "file", path }];
  return isRepository(entries) ? [{ type: "bare", path: folder }] : [];
}

function isRepository(entries: readonly Dirent[]): boolean {
  return ["HEAD", "objects", "refs"].every((name) => entries.some((entry) => entry.name === name));
}

/** Those of submodules and linked worktrees, at any depth. */
function nestedIn(git: string): string[] {
  const worktrees = subfolders(join(git, "worktrees"));
  const nested = [...worktrees, ...modulesIn(join(git, "modules"))];
  return nested.flatMap((folder) => [folder, ...nestedIn(folder)]);
}

/** A submodule's name can have slashes in it. */
function modulesIn(folder: string): string[] {
  return subfolders(folder).flatMap((path) => (isRepository(entriesIn(path)) ? [path] : modulesIn(path)));
}

function subfolders(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Where a `.git` file leads: the folder of a worktree or a submodule, and the one that it shares. */
function namedBy(file: string): string[] {
  const own = /^gitdir: (.+)$/m.exec(textOf(file))?.[1];
  if (own === undefined) return [];
  const folder = realPath(resolve(dirname(file), own.trim()));
  const shared = textOf(join(folder, "commondir")).trim();
  return shared === "" ? [folder] : [folder, realPath(resolve(folder, shared))];
}

/** The `.git` file of the working tree that a submodule's or a worktree's folder belongs to. */
function fileOf(git: string): string[] {
  const file = textOf(join(git, "gitdir")).trim();
  if (file !== "") return [realPath(resolve(git, file))];
  const tree = /^\s*worktree\s*=\s*"?([^"\n]+)"?\s*$/m.exec(textOf(join(git, "config")))?.[1];
  return tree === undefined ? [] : [join(realPath(resolve(git, tree)), ".git")];
}

function textOf(path: string): string {
  if (kindOf(path) !== "file") return "";
  return looked(() => readFileSync(path, "utf8"))?.slice(0, MOST_CHARS) ?? "";
}

export function entriesIn(folder: string): Dirent[] {
  return looked(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
