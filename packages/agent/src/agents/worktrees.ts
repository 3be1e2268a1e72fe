/** The worktrees of a session's sub-agents: makes them, lets permissions know them, and removes what a crash left. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { isWithin } from "@runahead/base";
import type { WorkspaceCopy } from "@runahead/permissions";
import type { LoopOptions } from "../loop/options.ts";
import { realPathOf } from "../session/folder.ts";
import type { Session } from "../session/session.ts";
import { worktreeFor } from "./agent-worktree.ts";
import { WorktreeFolder, unusedWorktrees } from "./worktree-folder.ts";
import {
  type Worktree,
  type WorktreeSettings,
  originOf,
  removeIfUnchanged,
  removeUnfinished,
  reopenWorktree,
} from "./worktree.ts";

interface Wanted {
  /** Where the caller works. */
  readonly cwd: string;
  readonly options: LoopOptions;
  readonly settings: WorktreeSettings | undefined;
}

export class Worktrees {
  readonly #session: Session | undefined;
  #folder: WorktreeFolder | undefined;
  #swept: Promise<readonly string[]> | undefined;
  /** What removes the copy at a path from the permissions. */
  readonly #copies = new Map<string, () => void>();

  constructor(session: Session | undefined) {
    this.#session = session;
  }

  async make(id: string, { cwd, options, settings }: Wanted): Promise<Worktree> {
    await this.sweep(options);
    const folder = this.#folderOf(options);
    return this.#entered(await worktreeFor({ id, cwd, folder, hooks: options.hooks, settings }), options);
  }

  async reopen(path: string, { cwd, options, settings = {} }: Wanted): Promise<Worktree> {
    const folder = this.#folderOf(options);
    return this.#entered(await reopenWorktree(path, cwd, { folder, settings }), options);
  }

  /**
   * Removes the unchanged worktrees of sessions that no process uses, and of this one. Resolves with those of this
   * session that have changes. Looks once.
   */
  sweep(options: LoopOptions): Promise<readonly string[]> {
    this.#swept ??= this.#sweep(options);
    return this.#swept;
  }

  async #sweep(options: LoopOptions): Promise<readonly string[]> {
    const folder = this.#folderOf(options);
    const kept: string[] = [];
    for (const { path, owner, isUnfinished } of await unusedWorktrees(workspaceOf(options), folder)) {
      if (isUnfinished) await removeUnfinished(path, owner);
      else if (!(await removeIfUnchanged(path).catch(() => false)) && owner === folder.owner) kept.push(path);
    }
    for (const path of kept) {
      const of = await originOf(path);
      if (of !== undefined) await this.#addCopy({ path, of }, options);
    }
    return kept;
  }

  async close(): Promise<void> {
    await this.#swept?.catch(() => {});
    for (const remove of this.#copies.values()) remove();
    this.#copies.clear();
    await this.#folder?.close();
  }

  #folderOf(options: LoopOptions): WorktreeFolder {
    this.#folder ??= new WorktreeFolder(this.#session, workspaceOf(options));
    return this.#folder;
  }

  async #entered(worktree: Worktree, options: LoopOptions): Promise<Worktree> {
    const { path } = worktree;
    await this.#addCopy(worktree, options);
    const finish = async (): Promise<string> => {
      const text = await worktree.finish();
      if (!(await isFolder(path))) this.#removeCopy(path);
      return text;
    };
    return { ...worktree, finish };
  }

  /** A worktree with changes stays a copy, so that the rules apply when its files are read. */
  async #addCopy(worktree: Pick<Worktree, "path" | "of">, options: LoopOptions): Promise<void> {
    const copy = copyOf(worktree, await realPathOf(workspaceOf(options)));
    const remove = copy === undefined ? undefined : options.permissions?.addCopy?.(copy);
    this.#removeCopy(worktree.path);
    if (remove !== undefined) this.#copies.set(worktree.path, remove);
  }

  #removeCopy(path: string): void {
    this.#copies.get(path)?.();
    this.#copies.delete(path);
  }
}

function workspaceOf({ cwd, session }: LoopOptions): string {
  return cwd ?? session?.cwd ?? process.cwd();
}

/** If the workspace is a part of the repository, only that part of the worktree is a copy of it. */
function copyOf({ path, of }: Pick<Worktree, "path" | "of">, workspace: string): WorkspaceCopy | undefined {
  if (of !== undefined)
    return isWithin(workspace, of)
      ? { path: join(path, relative(of, workspace)), of: workspace }
      : { path, of };
  // A hook chose the folder. It must not make everything around the workspace part of it.
  return isWithin(workspace, path) || isWithin(homedir(), path) ? undefined : { path, of: workspace };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
