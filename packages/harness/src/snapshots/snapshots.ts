/**
 * Snapshots of a workspace, kept outside of its repository: the files before a prompt, no matter what changes them later.
 * Files that the workspace's `.gitignore` files exclude are left out.
 */

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Lock,
  tryLock,
  aFunction,
  aNumberFromZero,
  aString,
  anObject,
  checkOptions,
  required,
} from "@runahead/base";
import { removeTemporaries } from "./apply.ts";
import { type WorkspaceChanges, changesOf, stepsBetween } from "./difference.ts";
import { SnapshotFailure, reasonOf } from "./failure.ts";
import { Git, snapshotGit } from "./git.ts";
import { openIgnored } from "./ignored.ts";
import { isWithin, pathOf, shown } from "./path.ts";
import { restoreTo } from "./restore.ts";
import { Store, borrowIndex, prepareFolder } from "./store.ts";
import { UnfinishedRestore } from "./unfinished.ts";
import { type Found, type LeftOut, type SnapshotLimits, Walk, shownLeftOut } from "./walk.ts";

export type { WorkspaceChanges } from "./difference.ts";
export type { LeftOut, SnapshotLimits } from "./walk.ts";

/** Options of `workspaceSnapshots`. */
export interface SnapshotOptions {
  /** The folder whose files are kept; an absolute path. */
  readonly workspace: string;
  /** The folder where snapshots are kept. It must be private and for this workspace only. */
  readonly folder: string;
  /** Returns true for absolute paths that are neither taken nor restored. `.git` never is. */
  readonly isProtected?: (path: string) => boolean;
  /** Limits of a snapshot. Default: 10 MB per file, 50,000 files, 1 GB. */
  readonly limits?: Partial<SnapshotLimits>;
  /** Days after which an unused snapshot is deleted. Default: 30. */
  readonly keepDays?: number;
  /** How long to wait for another process that uses the folder, in milliseconds. Default: 10,000. */
  readonly waitMs?: number;
}

/** A snapshot that was taken, or why it was not. */
export type TakeResult =
  | {
      readonly type: "taken";
      /** Pass it to `changes` and `restore`. */
      readonly id: string;
      /** Files that are not in it, in addition to those that git ignores. */
      readonly leftOut: readonly LeftOut[];
    }
  | {
      readonly type: "not-taken";
      /** The reason, as text for the user. */
      readonly reason: string;
    };

/** What changed since a snapshot, or why it could not be compared. */
export type ChangesResult =
  /** The changes from the snapshot to now. */
  | ({ readonly type: "compared" } & WorkspaceChanges)
  | {
      readonly type: "not-compared";
      /** The reason, as text for the user. */
      readonly reason: string;
    };

/** What a restore changed, or why nothing was restored. */
export type RestoreResult =
  | {
      /** `cancelled`: it stopped halfway; restore it again, or restore `before`. */
      readonly type: "restored" | "cancelled";
      /** A snapshot of the state before; restore it to undo this. */
      readonly before: string;
      /** Paths that the restore changed. */
      readonly changes: WorkspaceChanges;
      /** Paths that could not be restored, with the reason. */
      readonly notRestored: readonly LeftOut[];
    }
  /** Nothing was changed. */
  | {
      readonly type: "not-restored";
      /** The reason, as text for the user. */
      readonly reason: string;
    };

/** A restore that a crash interrupted: some files are restored, others are not. */
export interface InterruptedRestore {
  /** The snapshot that was being restored; restore it again to finish. */
  readonly id: string;
  /** A snapshot of the state before; restore it to undo. */
  readonly before: string;
}

/** Takes and restores snapshots of the files of a workspace. No method throws, even if its signal is aborted. */
export interface WorkspaceSnapshots {
  /** Takes a snapshot of all files that git does not ignore. */
  take(signal?: AbortSignal): Promise<TakeResult>;
  /** Compares a snapshot with the current files. */
  changes(id: string, signal?: AbortSignal): Promise<ChangesResult>;
  /**
   * Restores the files of a snapshot. Takes a snapshot of the current state first, so that the restore can be undone.
   */
  restore(id: string, signal?: AbortSignal): Promise<RestoreResult>;
  /** Resolves with the restore that a crash interrupted; undefined if there is none. Any later restore replaces it. */
  interrupted(signal?: AbortSignal): Promise<InterruptedRestore | undefined>;
}

/**
 * Keeps snapshots of a workspace outside of its git repository.
 *
 * @example
 * ```ts
 * const snapshots = workspaceSnapshots({ workspace: "/repo", folder: "/home/ann/.runahead/snapshots/repo" });
 * const taken = await snapshots.take();
 * if (taken.type === "taken") await snapshots.restore(taken.id);
 * ```
 */
export function workspaceSnapshots(options: SnapshotOptions): WorkspaceSnapshots {
  checkOptions(options, OPTIONS, "workspaceSnapshots");
  return new FolderSnapshots(options);
}

const LIMITS: SnapshotLimits = { fileBytes: 10_000_000, files: 50_000, totalBytes: 1_000_000_000 };
const OPTIONS = {
  workspace: required(aString),
  folder: required(aString),
  isProtected: aFunction,
  limits: anObject,
  keepDays: aNumberFromZero,
  waitMs: aNumberFromZero,
};
const KEEP_DAYS = 30;
const WAIT_MS = 10_000;
const LOOK_MS = 50;

/** What one operation on the folder needs. */
interface Work {
  readonly git: Git;
  readonly store: Store;
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly isProtected: (path: string) => boolean;
  /** Lists the current files, and these as well if they exist. */
  readonly look: (also?: Iterable<string>) => Promise<Found>;
}

class FolderSnapshots implements WorkspaceSnapshots {
  readonly #options: SnapshotOptions;
  /** Operations run one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #isTidy = false;

  constructor(options: SnapshotOptions) {
    this.#options = { ...options, folder: resolve(options.folder) };
  }

  async take(signal = new AbortController().signal): Promise<TakeResult> {
    try {
      return await this.#alone(signal, async ({ store, look }) => {
        const found = await look();
        const id = await store.write(found);
        await store.keep(id);
        await this.#tidy(store);
        return { type: "taken", id, leftOut: found.leftOut.map(shownLeftOut) };
      });
    } catch (error) {
      return { type: "not-taken", reason: reasonOf(error, signal) };
    }
  }

  async changes(id: string, signal = new AbortController().signal): Promise<ChangesResult> {
    try {
      return await this.#alone(signal, async ({ store, look }) => {
        await store.checkKept(id);
        const then = await store.read(id);
        const now = await store.read(await store.write(await look(then.files.keys())));
        return { type: "compared", ...changesOf(stepsBetween(then, now)) };
      });
    } catch (error) {
      return { type: "not-compared", reason: reasonOf(error, signal) };
    }
  }

  async restore(id: string, signal = new AbortController().signal): Promise<RestoreResult> {
    try {
      return await this.#alone(signal, async ({ store, look, ...ports }) => {
        await store.checkKept(id);
        const target = await store.read(id);
        const found = await look(target.files.keys());
        const before = await store.write(found);
        await store.keep(before);
        const present = { snapshot: await store.read(before), stats: found.files };
        const lookAgain = async (): Promise<Found["files"]> => (await look()).files;
        const unfinished = new UnfinishedRestore(this.#options.folder);
        await unfinished.begin({ id, before });
        try {
          const { isCancelled, ...done } = await restoreTo(target, present, { ...ports, lookAgain });
          return { type: isCancelled ? "cancelled" : "restored", before, ...done };
        } finally {
          await unfinished.end();
        }
      });
    } catch (error) {
      return { type: "not-restored", reason: reasonOf(error, signal) };
    }
  }

  async interrupted(signal = new AbortController().signal): Promise<InterruptedRestore | undefined> {
    const unfinished = new UnfinishedRestore(this.#options.folder);
    // Most workspaces have none, and then nothing has to be locked.
    if ((await unfinished.find()) === undefined) return undefined;
    return this.#alone(signal, async ({ store, workspace }) => {
      const found = await unfinished.find();
      if (found === undefined) return undefined;
      await store.checkKept(found.id);
      removeTemporaries(workspace, (await store.read(found.id)).files.keys());
      return found;
    }).catch(() => undefined);
  }

  /** Runs after all earlier operations, and while no other process uses the folder. */
  #alone<Result>(signal: AbortSignal, job: (work: Work) => Promise<Result>): Promise<Result> {
    const done = this.#last.then(() => this.#locked(signal, job));
    this.#last = done.catch(() => {});
    return done;
  }

  async #locked<Result>(signal: AbortSignal, job: (work: Work) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const { folder } = this.#options;
    const workspace = await workspaceOf(this.#options.workspace);
    const program = await snapshotGit(workspace);
    await prepareFolder(folder, workspace);
    const lock = await this.#lock(signal);
    const path = join(folder, "git");
    try {
      const index = await borrowIndex(path);
      const git = new Git({ program, store: path, index: index.path, tree: workspace }, signal);
      const store = new Store(git, path, index.path);
      try {
        await store.prepare();
        return await job(this.#work({ git, store, workspace, signal }));
      } finally {
        await index.giveBack();
      }
    } finally {
      await lock.release();
    }
  }

  #work(parts: Pick<Work, "git" | "store" | "workspace" | "signal">): Work {
    const { workspace, git, signal } = parts;
    const { folder, isProtected: isTheirs = () => false, limits } = this.#options;
    const own = pathOf(relative(workspace, folder));
    const isProtected = (path: string): boolean => path === own || isTheirs(join(workspace, shown(path)));
    const look = async (also: Iterable<string> = []): Promise<Found> => {
      const ignored = await openIgnored(git, workspace, join(folder, "git"));
      try {
        const all = { workspace, ignored, isProtected, signal, limits: { ...LIMITS, ...limits } };
        const walk = new Walk(all);
        await walk.all();
        await walk.also(also);
        return walk.found;
      } finally {
        await ignored.close();
      }
    };
    return { ...parts, isProtected, look };
  }

  async #lock(signal: AbortSignal): Promise<Lock> {
    const { folder, waitMs = WAIT_MS } = this.#options;
    const start = performance.now();
    for (;;) {
      const attempt = await tryLock(join(folder, "lock"));
      if (attempt.type === "held") return attempt.lock;
      if (performance.now() - start > waitMs)
        throw new SnapshotFailure(
          `process ${attempt.pid} is using ${folder}; try again when it has finished`,
        );
      await pause(LOOK_MS, undefined, { signal });
    }
  }

  /** Runs once. A failure does not affect the snapshot. */
  async #tidy(store: Store): Promise<void> {
    if (this.#isTidy) return;
    this.#isTidy = true;
    await store.tidy(this.#options.keepDays ?? KEEP_DAYS).catch(() => {});
  }
}

/** Returns the real path. The home folder and its parents are refused, because most of their files are not the user's work. */
async function workspaceOf(path: string): Promise<string> {
  const workspace = await realpath(path);
  const home = await realpath(homedir()).catch(() => homedir());
  if (isWithin(workspace, home))
    throw new SnapshotFailure(
      `${workspace} is ${workspace === home ? "the home folder" : "above the home folder"}; snapshots work only in a project folder`,
    );
  return workspace;
}
