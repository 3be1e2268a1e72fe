/** A git worktree for one sub-agent: made from HEAD, removed if nothing changed in it, never removed with changes. */

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { type OwnGit, messageOf, ownGit } from "@runahead/base";
import { lockHolder } from "../session/lock.ts";
import type { Session } from "../session/session.ts";
import { Refused } from "./refused.ts";

export interface Worktree {
  /** The root of the worktree. */
  readonly path: string;
  /** The folder in it that corresponds to the caller's. */
  readonly cwd: string;
  /** Removes it if it is unchanged. Resolves with text for the result. */
  finish(): Promise<string>;
}

const run = promisify(execFile);
const LIMIT_MS = 120_000;
const MOST_BYTES = 10_000_000;
const PREFIX = "runahead/";
const FOLDER = [".runahead", "worktrees"];

/**
 * Makes a worktree on a new branch, in `.runahead/worktrees` of the repository: there the rules of the workspace hold for
 * it. Throws if the folder is not in a repository with a commit.
 */
export async function addWorktree(
  id: string,
  cwd: string,
  { session, settings = {} }: Making,
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
  const name = `${session?.id ?? randomUUID()}-${id}`;
  const path = join(await folderIn(git), name);
  await made(git, path, base, settings.sparsePaths);
  await linkFolders(git, path, settings.symlinkDirectories);
  return worktreeAt(path, await cwdIn(path, git, cwd));
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
  readonly session: Session | undefined;
  readonly settings?: WorktreeSettings;
}

async function baseOf(git: OwnGit, { baseRef }: WorktreeSettings): Promise<string> {
  const commit = async (name: string): Promise<string> =>
    (await output(git, ["rev-parse", "--verify", `${name}^{commit}`]).catch(() => "")).trim();
  const fresh = baseRef === "fresh" ? await commit("origin/HEAD") : "";
  return fresh === "" ? commit("HEAD") : fresh;
}

/** A link must not lead out of the repository, and nothing that exists is replaced. */
async function linkFolders(git: OwnGit, path: string, folders: readonly string[] = []): Promise<void> {
  const root = git.env["GIT_WORK_TREE"] ?? "";
  for (const folder of folders) {
    const [from, to] = [join(root, folder), join(path, folder)];
    const isInside = !relative(root, from).startsWith("..") && !relative(path, to).startsWith("..");
    const real = await realpath(from).catch(() => undefined);
    if (!isInside || real === undefined || (await realpath(to).catch(() => undefined)) !== undefined)
      continue;
    await mkdir(dirname(to), { recursive: true });
    await symlink(real, to).catch(() => {});
  }
}

/** Opens the worktree of a sub-agent that continues. If it was removed, it is made again from HEAD. */
export async function reopenWorktree(path: string, callerCwd: string): Promise<Worktree> {
  const git = await gitIn(callerCwd);
  if (git === undefined) throw new Refused(`Not continued: ${callerCwd} is not in a git repository.`);
  if ((await gitIn(path)) === undefined) await made(git, join(await folderIn(git), basename(path)), "HEAD");
  return worktreeAt(path, await cwdIn(path, git, callerCwd));
}

/**
 * Removes the unchanged worktrees of sessions that no process uses, and of this one. Resolves with those of this session
 * that have changes.
 */
export async function sweepWorktrees(cwd: string, session: Session): Promise<readonly string[]> {
  const folder = await existingFolder(cwd);
  if (folder === undefined) return [];
  const kept: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const id = /^(.+)-agent-\d+$/.exec(name)?.[1];
    if (id === undefined) continue;
    const isOwn = id === session.id;
    if (!isOwn && (await lockHolder(dirname(session.path), id)) !== undefined) continue;
    const path = join(folder, name);
    const isRemoved = await removeIfUnchanged(path).catch(() => false);
    if (isOwn && !isRemoved) kept.push(path);
  }
  return kept;
}

/** Returns the folder of the worktrees if there is one, without running git: most repositories have none. */
async function existingFolder(cwd: string): Promise<string | undefined> {
  for (let above = await realpath(cwd).catch(() => cwd); ; above = dirname(above)) {
    const folder = join(above, ...FOLDER);
    if ((await realpath(folder).catch(() => "")) === folder) return folder;
    if (dirname(above) === above) return undefined;
  }
}

/** Makes the folder of the worktrees. It ignores itself, so that git does not list it. */
async function folderIn(git: OwnGit): Promise<string> {
  const folder = join(git.env["GIT_WORK_TREE"] ?? "", ...FOLDER);
  await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder)
    throw new Refused(
      `Not started: ${folder} is a symbolic link or below one. Remove the link, or leave isolation out.`,
    );
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => {});
  return folder;
}

/** Commands that create and remove worktrees lock the same files of git, so they run one after the other. */
let lastChange: Promise<unknown> = Promise.resolve();

function inTurn<Value>(job: () => Promise<Value>): Promise<Value> {
  const done = lastChange.then(job);
  lastChange = done.catch(() => {});
  return done;
}

function made(git: OwnGit, path: string, base: string, sparse: readonly string[] = []): Promise<void> {
  return inTurn(() =>
    add(git, path, { base, sparse }).catch((error: unknown) => {
      throw new Refused(`Not started: cannot make the git worktree ${path}: ${messageOf(error)}`);
    }),
  );
}

interface Checkout {
  readonly base: string;
  /** The folders to check out; empty for all. */
  readonly sparse: readonly string[];
}

async function add(git: OwnGit, path: string, { base, sparse }: Checkout): Promise<void> {
  await output(git, ["worktree", "prune"]);
  const words = ["-B", `${PREFIX}${basename(path)}`, path, base];
  if (sparse.length === 0) return void (await output(git, ["worktree", "add", ...words]));
  await output(git, ["worktree", "add", "--no-checkout", ...words]);
  const own = await gitIn(path);
  if (own === undefined) throw new Error(`${path} cannot be read`);
  await output(own, ["sparse-checkout", "set", "--cone", "--", ...sparse]);
  await output(own, ["checkout", "-q"]);
}

async function cwdIn(path: string, git: OwnGit, cwd: string): Promise<string> {
  return join(path, relative(git.env["GIT_WORK_TREE"] ?? "", await realpath(cwd)));
}

function worktreeAt(path: string, cwd: string): Worktree {
  return { path, cwd, finish: () => finished(path) };
}

async function finished(path: string): Promise<string> {
  try {
    if (await removeIfUnchanged(path)) return "[Its git worktree was unchanged and is removed.]";
    const git = await gitIn(path);
    if (git === undefined) return `[Its git worktree ${path} cannot be read.]`;
    const branch = (await output(git, ["rev-parse", "--abbrev-ref", "HEAD"])).trim();
    // New files are part of the diff only if the index knows them.
    await output(git, ["add", "--all", "--intent-to-add"]);
    const base = (await output(git, ["merge-base", "HEAD", await mainHead(path)])).trim();
    const stat = (await output(git, ["diff", "--no-ext-diff", "--no-textconv", "--stat", base])).trimEnd();
    return `[Its changes are in the git worktree ${path} on branch ${branch}:\n${stat}\nTake over what you need, then remove it with: git worktree remove --force ${path}]`;
  } catch (error) {
    return `[Its git worktree ${path} is kept, because it could not be compared: ${messageOf(error)}]`;
  }
}

/** The commit that the main worktree is at. */
async function mainHead(path: string): Promise<string> {
  const git = await gitIn(path);
  const common = git === undefined ? "" : (await output(git, ["rev-parse", "--git-common-dir"])).trim();
  const main = git === undefined ? undefined : { ...git, env: { ...git.env, GIT_DIR: common } };
  return main === undefined ? "HEAD" : (await output(main, ["rev-parse", "HEAD"])).trim();
}

/** Whether the worktree had no changes and is gone. A worktree that cannot be read is kept. */
function removeIfUnchanged(path: string): Promise<boolean> {
  return inTurn(() => removed(path));
}

async function removed(path: string): Promise<boolean> {
  const git = await gitIn(path);
  if (git === undefined) return false;
  const branch = (await output(git, ["rev-parse", "--abbrev-ref", "HEAD"])).trim();
  const changes = await output(git, ["status", "--porcelain", "--untracked-files=all", "--ignored=no"]);
  const own = await withoutLinks(changes, path, dirname(await commonFolder(git)));
  const others = [`--exclude=${branch}`, "--branches", "--remotes", "--tags"];
  const commits = await output(git, [
    "rev-list",
    "--max-count=1",
    "HEAD",
    "--not",
    ...others,
    await mainHead(path),
  ]);
  if (own.length > 0 || commits.trim() !== "") return false;
  const common = await commonFolder(git);
  const main = { ...git, env: { ...git.env, GIT_DIR: common, GIT_WORK_TREE: dirname(common) } };
  await output(main, ["worktree", "remove", "--force", path]);
  if (branch.startsWith(PREFIX)) await output(main, ["branch", "-D", branch]);
  await rm(path, { recursive: true, force: true });
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
