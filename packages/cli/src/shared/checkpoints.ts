/** Snapshots of the workspace before each prompt, for `/rewind`. */

import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import {
  type ChangesResult,
  type LoadedSettings,
  type RestoreResult,
  type WorkspaceSnapshots,
  protectedPaths,
  workspaceSnapshots,
  runaheadHome,
} from "@runahead/harness";
import { limitedSignal } from "@runahead/harness/internal";
import type { World } from "./world.ts";

/** A prompt waits at most this long for its snapshot. */
const MOST_MS = 10_000;

export class Checkpoints {
  readonly #world: World;
  readonly #root: string;
  readonly #onNotice: (message: string) => void;
  #made: Promise<WorkspaceSnapshots> | undefined;
  #hasWarned = false;
  #undo: string | undefined;
  #interrupted: string | undefined;

  /** `root` is the project's root. */
  constructor(world: World, root: string, onNotice: (message: string) => void) {
    this.#world = world;
    this.#root = root;
    this.#onNotice = onNotice;
  }

  /** The snapshot from before files were last restored. */
  get undo(): string | undefined {
    return this.#undo;
  }

  /** The snapshot whose restore a crash interrupted. */
  get interrupted(): string | undefined {
    return this.#interrupted;
  }

  /** `fileCheckpointingEnabled: false` in the settings: no snapshots are taken. */
  isOff = false;

  /** Takes the slow first snapshot while the user types. A failure is reported at the first prompt. */
  async warmUp(signal: AbortSignal): Promise<void> {
    const snapshots = await this.#snapshots();
    const interrupted = await snapshots.interrupted(signal);
    if (interrupted !== undefined) {
      this.#interrupted = interrupted.id;
      this.#undo = interrupted.before;
      this.#onNotice(`${HALF_RESTORED} Use /rewind to finish or undo it.`);
    }
    if (!this.isOff) await snapshots.take(signal);
  }

  /** Returns the id of a snapshot, or undefined if none could be taken. The first failure is reported. */
  async take(signal: AbortSignal): Promise<string | undefined> {
    if (this.isOff) return undefined;
    const snapshots = await this.#snapshots();
    const taken = await snapshots.take(limitedSignal(signal, MOST_MS));
    if (taken.type === "taken") return taken.id;
    if (!this.#hasWarned && !signal.aborted)
      this.#onNotice(`No snapshot was taken: ${taken.reason}. /rewind cannot restore files.`);
    this.#hasWarned ||= !signal.aborted;
    return undefined;
  }

  async changes(id: string): Promise<ChangesResult> {
    return (await this.#snapshots()).changes(id);
  }

  async restore(id: string): Promise<RestoreResult> {
    const restored = await (await this.#snapshots()).restore(id);
    if (restored.type === "not-restored") return restored;
    this.#undo = restored.before;
    this.#interrupted = undefined;
    return restored;
  }

  #snapshots(): Promise<WorkspaceSnapshots> {
    this.#made ??= snapshotsOf(this.#world, this.#root);
    return this.#made;
  }
}

const HALF_RESTORED = "The last /rewind was interrupted: some files are restored, others are not.";

/** Returns what to say where nobody can use `/rewind`, if a crash interrupted it. */
export async function interruptedNotice(
  world: World,
  root: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await (await snapshotsOf(world, root)).interrupted(limitedSignal(signal, MOST_MS));
  return found === undefined
    ? undefined
    : `${HALF_RESTORED} Start runahead here without -p and use /rewind to finish or undo it.`;
}

/** Whether a trusted file turns snapshots off. */
export function hasNoCheckpoints({ other }: Pick<LoadedSettings, "other">): boolean {
  return other.get("fileCheckpointingEnabled")?.find(({ trusted }) => trusted)?.value === false;
}

/** Settings and other files that only the user should change are never restored. */
async function snapshotsOf(world: World, root: string): Promise<WorkspaceSnapshots> {
  const { files, folders } = await protectedPaths(world);
  const own = createHash("sha256").update(root).digest("hex").slice(0, 32);
  return workspaceSnapshots({
    workspace: root,
    folder: join(runaheadHome(world), "snapshots", own),
    isProtected: (path) => files.includes(path) || folders.some((folder) => isWithin(path, folder)),
  });
}

function isWithin(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between === "" || !/^\.\.(?:[/\\]|$)/.test(between);
}
