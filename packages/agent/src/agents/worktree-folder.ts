/**
 * Where the worktrees of a session are: in `worktrees` of its folder, which only its user can open. The process that uses
 * them holds a lock, so that others remove only what a crash left.
 */

import { randomUUID } from "node:crypto";
import { readFile, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Lock, lockHolder, tryLock } from "@runahead/base";
import { folderName, homeOf, makePrivateFolder, projectFolder, realPathOf } from "../session/folder.ts";
import type { Session } from "../session/session.ts";
import { Refused } from "./refused.ts";

const NAME = "worktrees";
const LOCK = `${NAME}.lock`;
const MARK = ".unfinished";

/** Which session the worktrees belong to. */
interface Place {
  /** The folder of the project's sessions. */
  readonly sessions: string;
  /** The name of the session's folder in it. */
  readonly owner: string;
}

/** The folder of one session's worktrees. */
export class WorktreeFolder {
  readonly owner: string;
  readonly search: WorktreeSearch;
  readonly #session: Session | undefined;
  readonly #cwd: string;
  #opened: Promise<{ readonly path: string; readonly lock: Lock }> | undefined;

  constructor(session: Session | undefined, cwd: string) {
    this.#session = session;
    this.#cwd = cwd;
    this.owner = session?.id ?? `without-session-${randomUUID()}`;
    this.search = (session === undefined ? undefined : SEARCHES.get(session)) ?? "all";
  }

  /** Returns the folder of the project's sessions, without making it. */
  async place(): Promise<Place> {
    const { owner } = this;
    const own = ownFolder(this.#session);
    if (own !== undefined) return { sessions: dirname(own), owner };
    const projects = join(homeOf(undefined), "projects");
    return { sessions: join(projects, folderName(await realPathOf(this.#cwd))), owner };
  }

  /** Makes the folder and locks it. Resolves with its real path. */
  async open(): Promise<string> {
    this.#opened ??= this.#open();
    this.#opened.catch(() => (this.#opened = undefined));
    return (await this.#opened).path;
  }

  async #open(): Promise<{ readonly path: string; readonly lock: Lock }> {
    const { sessions, owner } = await this.place();
    if (ownFolder(this.#session) === undefined) await projectFolder(homeOf(undefined), this.#cwd, () => {});
    const folder = join(sessions, owner);
    for (const one of [folder, join(folder, NAME)])
      await makePrivateFolder(one).catch((error: unknown) => {
        throw new Refused(
          `Not started: cannot use ${one} for git worktrees: ${String(error)}. Leave isolation out.`,
        );
      });
    const attempt = await tryLock(join(folder, LOCK));
    if (attempt.type === "busy")
      throw new Refused(
        `Not started: process ${attempt.pid} uses the worktrees of this session. Leave isolation out.`,
      );
    return { path: await realpath(join(folder, NAME)), lock: attempt.lock };
  }

  /** Lets other processes remove what is left. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await opened?.lock.release().catch(() => {});
  }
}

/** A session in another store has no lasting folder of its own. */
function ownFolder(session: Session | undefined): string | undefined {
  return session?.lost === undefined ? session?.agents?.folder : undefined;
}

/** Which worktrees the agent of a session looks for when it begins. */
export type WorktreeSearch =
  /** Those of all sessions that have ended. */
  | "all"
  /** Those that an earlier run of the session left. */
  | "own"
  | "none";

const SEARCHES = new WeakMap<Session, WorktreeSearch>();

/**
 * A process that runs many sessions in one folder looks for the worktrees of ended sessions once in a while, not with every
 * session, and a new session has none. Default: all.
 */
export function limitWorktreeSearch(session: Session, search: WorktreeSearch): void {
  SEARCHES.set(session, search);
}

/** What is in the folder of a session's worktrees. */
export interface FoundWorktree {
  readonly path: string;
  readonly owner: string;
  /** Whether it was being made or removed when a process ended. */
  readonly isUnfinished: boolean;
}

/**
 * Lists the worktrees that no other process uses: of this session, and of all sessions that `git` says have worktrees of the
 * repository around `cwd`. A project can have thousands of sessions, so they are not all looked at.
 */
export async function unusedWorktrees(cwd: string, folder: WorktreeFolder): Promise<FoundWorktree[]> {
  if (folder.search === "none") return [];
  const { sessions, owner } = await folder.place();
  // Git lists real paths.
  const own = await realPathOf(join(sessions, owner));
  const projects = await realPathOf(dirname(sessions));
  const listed = folder.search === "own" ? [] : await sessionsOfRepository(cwd);
  const others = listed.filter((one) => dirname(dirname(one)) === projects);
  const found: FoundWorktree[] = [];
  for (const one of new Set([own, ...others])) {
    const names = await namesIn(join(one, NAME));
    if (names.length === 0) continue;
    if (one !== own && (await lockHolder(join(one, LOCK)).catch(() => 0)) !== undefined) continue;
    found.push(...worktreesOf(join(one, NAME), names, basename(one)));
  }
  return found;
}

function worktreesOf(folder: string, names: readonly string[], owner: string): FoundWorktree[] {
  const plain = names.map((name) => (name.endsWith(MARK) ? name.slice(0, -MARK.length) : name));
  return [...new Set(plain)]
    .filter((name) => /^agent-\d+$/.test(name))
    .map((name) => ({
      path: join(folder, name),
      owner,
      isUnfinished: names.includes(`${name}${MARK}`),
    }));
}

/** The folders of sessions that have worktrees of this repository, by its own list. Runs no program: most have none. */
async function sessionsOfRepository(cwd: string): Promise<string[]> {
  for (let above = await realPathOf(cwd); ; above = dirname(above)) {
    const list = await worktreeList(above);
    const names = await namesIn(list);
    if (names.length > 0) {
      const files = names.map((name) => join(list, name, "gitdir"));
      const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
      return texts.flatMap(sessionIn);
    }
    if (dirname(above) === above) return [];
  }
}

/** Where git lists the worktrees of a working tree, which can be a worktree itself. */
async function worktreeList(tree: string): Promise<string> {
  const git = join(tree, ".git");
  const [, linked] = /^gitdir: (.+)$/m.exec(await readFile(git, "utf8").catch(() => "")) ?? [];
  if (linked === undefined) return join(git, NAME);
  const folder = resolve(tree, linked);
  const common = await readFile(join(folder, "commondir"), "utf8").catch(() => ".");
  return join(resolve(folder, common.trim()), NAME);
}

/** `SESSIONS/OWNER/worktrees/agent-1/.git` names the folder of a session. */
function sessionIn(gitFile: string): string[] {
  const worktrees = dirname(dirname(gitFile.trim()));
  return basename(worktrees) === NAME ? [dirname(worktrees)] : [];
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** Marks a worktree that has no work in it yet, or no more. The mark names the working tree of its repository. */
export async function markUnfinished(path: string, root: string): Promise<void> {
  await writeFile(`${path}${MARK}`, root, { mode: 0o600 });
}

export async function markFinished(path: string): Promise<void> {
  await rm(`${path}${MARK}`, { force: true });
}

/** Returns the working tree of its repository if the worktree is marked. */
export async function unfinishedRoot(path: string): Promise<string | undefined> {
  return readFile(`${path}${MARK}`, "utf8").catch(() => undefined);
}
