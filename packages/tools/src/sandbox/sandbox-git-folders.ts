/** Finds git repositories in writable folders. */

import { type Dirent, lstatSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin, kindOf, looked, realPath } from "./sandbox-paths.ts";

export interface Repositories {
  /** `.git` folders of repositories with a working tree, including submodules and linked worktrees. */
  readonly folders: readonly string[];
  /** Bare repositories. They often contain linked worktrees, so unknown names are allowed. */
  readonly bare: readonly string[];
  /** Files named `.git`, which point to the repository. */
  readonly files: readonly string[];
  /** Repositories above the limit: nothing in these can be written. */
  readonly closed: readonly string[];
  /** Paths of the `.git` of submodules that are not checked out: `git status` runs git there. */
  readonly missing: readonly string[];
}

/** How deep and in how many folders repositories are searched for. */
const MOST_DEPTH = 4;
const MOST_FOLDERS = 500;
/** Each repository takes about ten mounts, and the kernel's work grows with the square of their number. */
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
 * The repositories that existed before the first command ran and are unchanged, plus new ones of the writable folders
 * themselves. A repository that a command created is not included: it could become a link to anywhere before it is
 * mounted.
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

  /** `around` are the writable folders in which commands cannot create a `.git`. */
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

/** Inode numbers are reused, so the creation time counts too. */
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

/** Breadth first, because git finds the nearest repository first. */
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

/** Returns the folders of submodules and linked worktrees, at any depth. */
function nestedIn(git: string): string[] {
  const worktrees = subfolders(join(git, "worktrees"));
  const nested = [...worktrees, ...modulesIn(join(git, "modules"))];
  return nested.flatMap((folder) => [folder, ...nestedIn(folder)]);
}

/** The name of a submodule can contain slashes. */
function modulesIn(folder: string): string[] {
  return subfolders(folder).flatMap((path) => (isRepository(entriesIn(path)) ? [path] : modulesIn(path)));
}

function subfolders(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Returns the folder that the worktrees of a repository share; undefined if the folder has no repository. */
export function sharedGitFolder(root: string): string | undefined {
  const git = join(root, ".git");
  return kindOf(git) === "folder" ? git : namedBy(git).at(-1);
}

/** Resolves a `.git` file: the folder of a worktree or submodule, and its common folder. */
function namedBy(file: string): string[] {
  const own = /^gitdir: (.+)$/m.exec(textOf(file))?.[1];
  if (own === undefined) return [];
  const folder = realPath(resolve(dirname(file), own.trim()));
  const shared = textOf(join(folder, "commondir")).trim();
  return shared === "" ? [folder] : [folder, realPath(resolve(folder, shared))];
}

/** Returns the `.git` file of the working tree that a submodule's or worktree's folder belongs to. */
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
