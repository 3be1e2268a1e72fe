/** A git worktree for one sub-agent: made from HEAD, removed if nothing changed in it, never removed with changes. */

import { execFile } from "node:child_process";
import { lstat, mkdir, realpath, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { type OwnGit, endProcesses, isWithin, markedProcesses, messageOf, ownGit } from "@runahead/base";
import { Refused } from "./refused.ts";
import { type WorktreeFolder, markFinished, markUnfinished, unfinishedRoot } from "./worktree-folder.ts";

export interface Worktree {
  /** The root of the worktree. */
  readonly path: string;
  /** The root of the working tree that it is a copy of; undefined if a hook made it. */
  readonly of?: string;
  /** The folder in it that corresponds to the caller's. */
  readonly cwd: string;
  /** Removes it if it is unchanged. Resolves with text for the result. */
  finish(): Promise<string>;
}

const run = promisify(execFile);
const LIMIT_MS = 120_000;
const MOST_BYTES = 10_000_000;
const PREFIX = "runahead/";

/**
 * Creates a worktree on a new branch, in the folder of the session. Throws if `cwd` is not in a repository with a commit.
 */
export async function addWorktree(
  id: string,
  cwd: string,
  { folder, settings = {} }: Making,
): Promise<Worktree> {
  const git = await gitIn(cwd);
  if (git === undefined)
    throw new Refused(
      `Not started: isolation needs a git repository, and ${cwd} is not in one. Leave isolation out.`,
    );
  const base = await baseOf(git, settings);
  if (base === "")
    throw new Refused(
      "Not started: isolation needs a commit to start from. Leave isolation out, or commit first.",
    );
  const path = join(await folder.open(), id);
  await made(git, { path, base, folder, settings });
  return worktreeAt(path, git, await cwdIn(path, git, cwd));
}

/** How worktrees are made, as in the setting `worktree`. */
export interface WorktreeSettings {
  /** Folders of the repository that are linked into the worktree, such as `node_modules`. Default: none. */
  readonly symlinkDirectories?: readonly string[];
  /** Folders that are checked out. Default: all. */
  readonly sparsePaths?: readonly string[];
  /** `fresh`: from the default branch of `origin`, if there is one. Default: `head`. */
  readonly baseRef?: "fresh" | "head";
}

interface Making {
  readonly folder: WorktreeFolder;
  readonly settings?: WorktreeSettings;
}

async function baseOf(git: OwnGit, { baseRef }: WorktreeSettings): Promise<string> {
  const commit = async (name: string): Promise<string> =>
    (await output(git, ["rev-parse", "--verify", `${name}^{commit}`]).catch(() => "")).trim();
  const fresh = baseRef === "fresh" ? await commit("origin/HEAD") : "";
  return fresh === "" ? commit("HEAD") : fresh;
}

/**
 * Links folders of the repository into the worktree. Neither the folder nor the link can be outside, also not through
 * another link, and nothing that exists is replaced.
 */
async function linkFolders(git: OwnGit, path: string, folders: readonly string[] = []): Promise<void> {
  const root = await realpath(rootOf(git));
  for (const folder of folders) {
    const to = join(path, folder);
    const real = await realpath(join(root, folder)).catch(() => undefined);
    if (real === undefined || !canBeLinked(real, root) || isWithin(path, real)) continue;
    if (!isWithin(to, path) || to === path || (await isThere(to))) continue;
    if (!isWithin(await nearestReal(dirname(to)), path)) continue;
    await mkdir(dirname(to), { recursive: true });
    await symlink(real, to).catch(() => {});
  }
}

function canBeLinked(real: string, root: string): boolean {
  return real !== root && isWithin(real, root) && !isWithin(real, join(root, ".git"));
}

/** The real path of the nearest folder that exists. */
async function nearestReal(path: string): Promise<string> {
  return realpath(path).catch(() => nearestReal(dirname(path)));
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Opens the worktree of a sub-agent that continues. If it was removed, it is made again from HEAD. */
export async function reopenWorktree(
  path: string,
  callerCwd: string,
  { folder, settings = {} }: Making,
): Promise<Worktree> {
  const git = await gitIn(callerCwd);
  if (git === undefined) throw new Refused(`Not continued: ${callerCwd} is not in a git repository.`);
  const own = join(await folder.open(), basename(path));
  // The worktree of a forked session belongs to the original, and one that hooks made is theirs.
  const isOpen = (await gitIn(path)) !== undefined && (await unfinishedRoot(path)) === undefined;
  if (isOpen) return worktreeAt(path, git, await cwdIn(path, git, callerCwd));
  await made(git, { path: own, base: "HEAD", folder, settings });
  return worktreeAt(own, git, await cwdIn(own, git, callerCwd));
}

/** Commands that create and remove worktrees lock the same files of git, so they run one after the other. */
let lastChange: Promise<unknown> = Promise.resolve();

function inTurn<Value>(job: () => Promise<Value>): Promise<Value> {
  const done = lastChange.then(job);
  lastChange = done.catch(() => {});
  return done;
}

interface Checkout {
  readonly path: string;
  readonly base: string;
  readonly folder: WorktreeFolder;
  readonly settings: WorktreeSettings;
}

function made(git: OwnGit, wanted: Checkout): Promise<void> {
  return inTurn(() =>
    add(git, wanted).catch((error: unknown) => {
      throw new Refused(`Not started: cannot make the git worktree ${wanted.path}: ${messageOf(error)}`);
    }),
  );
}

/** It is marked as unfinished until it is complete, so that a crash leaves nothing that looks like changes. */
async function add(unmarked: OwnGit, { path, base, folder, settings }: Checkout): Promise<void> {
  const { sparsePaths = [], symlinkDirectories } = settings;
  if ((await unfinishedRoot(path)) !== undefined) await discard(path, folder.owner);
  await markUnfinished(path, rootOf(unmarked));
  const git = marked(unmarked, path);
  await output(git, ["worktree", "prune"]);
  const words = ["-B", branchOf(path, folder.owner), path, base];
  if (sparsePaths.length === 0) await output(git, ["worktree", "add", ...words]);
  else {
    await output(git, ["worktree", "add", "--no-checkout", ...words]);
    const found = await gitIn(path);
    if (found === undefined) throw new Error(`${path} cannot be read`);
    const own = marked(found, path);
    await output(own, ["sparse-checkout", "set", "--cone", "--", ...sparsePaths]);
    await output(own, ["checkout", "-q"]);
  }
  await linkFolders(git, path, symlinkDirectories);
  await markFinished(path);
}

/** Processes that make or remove a worktree can outlive this one, and are found by this variable. */
const VARIABLE = "RUNAHEAD_WORKTREE";

function marked(git: OwnGit, path: string): OwnGit {
  return { ...git, env: { ...git.env, [VARIABLE]: `${path}/` } };
}

function branchOf(path: string, owner: string): string {
  return `${PREFIX}${owner}-${basename(path)}`;
}

function rootOf({ env }: OwnGit): string {
  return env["GIT_WORK_TREE"] ?? "";
}

async function cwdIn(path: string, git: OwnGit, cwd: string): Promise<string> {
  return join(path, relative(rootOf(git), await realpath(cwd)));
}

function worktreeAt(path: string, git: OwnGit, cwd: string): Worktree {
  return { path, of: rootOf(git), cwd, finish: () => finished(path) };
}

async function finished(path: string): Promise<string> {
  try {
    if (await removeIfUnchanged(path)) return "[Its git worktree was unchanged and is removed.]";
    const git = await gitIn(path);
    if (git === undefined) return `[Its git worktree ${path} cannot be read.]`;
    const branch = (await output(git, ["rev-parse", "--abbrev-ref", "HEAD"])).trim();
    // New files are part of the diff only if the index knows them.
    await output(git, ["add", "--all", "--intent-to-add"]);
    const base = (
      await output(git, ["merge-base", "HEAD", await mainHead(git, await commonFolder(git))])
    ).trim();
    const stat = (await output(git, ["diff", "--no-ext-diff", "--no-textconv", "--stat", base])).trimEnd();
    return `[Its changes are in the git worktree ${path} on branch ${branch}:\n${stat}\nTake over what you need, then remove it with: git worktree remove --force ${path}]`;
  } catch (error) {
    return `[Its git worktree ${path} is kept, because it could not be compared: ${messageOf(error)}]`;
  }
}

/** The working tree of the repository that a worktree belongs to. */
export async function originOf(path: string): Promise<string | undefined> {
  const git = await gitIn(path);
  return git === undefined ? undefined : dirname(await commonFolder(git));
}

/** The commit that the main worktree is at. */
async function mainHead(git: OwnGit, common: string): Promise<string> {
  const main = { ...git, env: { ...git.env, GIT_DIR: common } };
  return (await output(main, ["rev-parse", "HEAD"])).trim();
}

/**
 * Removes what a crash left of a worktree that was being made or removed: it has no work of a sub-agent in it. Git is
 * run in the repository that the mark names, if that still exists.
 */
export async function removeUnfinished(path: string, owner: string): Promise<void> {
  await inTurn(() => discard(path, owner));
}

async function discard(path: string, owner: string): Promise<void> {
  const root = await unfinishedRoot(path);
  if (root === undefined) return;
  await endProcesses(() => markedProcesses(`${VARIABLE}=${path}/`));
  await rm(path, { recursive: true, force: true });
  const git = await gitIn(root).catch(() => undefined);
  if (git !== undefined) {
    // The worktree can be locked, because git locks it while it makes it.
    await output(git, ["worktree", "remove", "--force", "--force", path]).catch(() => {});
    await output(git, ["worktree", "prune"]).catch(() => {});
    await output(git, ["branch", "-D", branchOf(path, owner)]).catch(() => {});
  }
  await markFinished(path);
}

/** Whether the worktree had no changes and is gone. A worktree that cannot be read is kept. */
export function removeIfUnchanged(path: string): Promise<boolean> {
  return inTurn(() => removed(path));
}

async function removed(path: string): Promise<boolean> {
  const git = await gitIn(path);
  if (git === undefined) return false;
  const branch = (await output(git, ["rev-parse", "--abbrev-ref", "HEAD"])).trim();
  const changes = await output(git, ["status", "--porcelain", "--untracked-files=all", "--ignored=no"]);
  const common = await commonFolder(git);
  const own = await withoutLinks(changes, path, dirname(common));
  if (own.length > 0) return false;
  const others = [`--exclude=${branch}`, "--branches", "--remotes", "--tags"];
  const commits = await output(git, [
    "rev-list",
    "--max-count=1",
    "HEAD",
    "--not",
    ...others,
    await mainHead(git, common),
  ]);
  if (commits.trim() !== "") return false;
  const places = { GIT_DIR: common, GIT_WORK_TREE: dirname(common) };
  const main = marked({ ...git, env: { ...git.env, ...places } }, path);
  await markUnfinished(path, dirname(common));
  await output(main, ["worktree", "remove", "--force", path]);
  if (branch.startsWith(PREFIX)) await output(main, ["branch", "-D", branch]);
  await rm(path, { recursive: true, force: true });
  await markFinished(path);
  return true;
}

async function commonFolder(git: OwnGit): Promise<string> {
  return (await output(git, ["rev-parse", "--path-format=absolute", "--git-common-dir"])).trim();
}

/** Leaves out links to the same folder of the main worktree, which `symlinkDirectories` made. */
async function withoutLinks(changes: string, path: string, main: string): Promise<string[]> {
  const lines = changes.split("\n").filter((line) => line.trim() !== "");
  const isChange = lines.map(async (line) => {
    const name = /^\?\? "?(.*?)"?$/.exec(line)?.[1];
    if (name === undefined) return true;
    const isLink = (await lstat(join(path, name)).catch(() => undefined))?.isSymbolicLink() === true;
    const real = async (root: string): Promise<string> => realpath(join(root, name)).catch(() => root);
    return !isLink || (await real(path)) !== (await real(main));
  });
  const found = await Promise.all(isChange);
  return lines.filter((_, at) => found[at]);
}

/** Git for a folder, without the filters that the repository's own configuration names: they are programs. */
async function gitIn(folder: string): Promise<OwnGit | undefined> {
  const git = await ownGit(folder, process.env).catch(() => undefined);
  if (git === undefined) return undefined;
  const names = await output(git, [
    "config",
    "--local",
    "--name-only",
    "--get-regexp",
    String.raw`^filter\..*\.`,
  ]).catch(() => "");
  const off = names
    .split("\n")
    .filter((name) => /\.(?:smudge|clean|process)$/.test(name))
    .flatMap((name) => ["-c", `${name}=`]);
  return { ...git, options: [...git.options, ...off] };
}

async function output({ program, options, env }: OwnGit, words: readonly string[]): Promise<string> {
  const cwd = env["GIT_WORK_TREE"];
  const { stdout } = await run(program, [...options, ...words], {
    env,
    timeout: LIMIT_MS,
    maxBuffer: MOST_BYTES,
    ...(cwd === undefined ? {} : { cwd }),
  });
  return stdout;
}
