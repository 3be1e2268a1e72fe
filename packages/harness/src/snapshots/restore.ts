/** Restores the workspace to a snapshot. */

import type { Stats } from "node:fs";
import { apply } from "./apply.ts";
import { type Step, type WorkspaceChanges, changesOf, stepsBetween } from "./difference.ts";
import { SnapshotFailure, reasonOf } from "./failure.ts";
import type { Git, Talk } from "./git.ts";
import { foldersAbove, isKeptOut, nameOf, shown } from "./path.ts";
import type { Snapshot } from "./store.ts";
import type { LeftOut } from "./walk.ts";

export interface RestorePorts {
  readonly workspace: string;
  readonly git: Git;
  readonly signal: AbortSignal;
  readonly isProtected: (path: string) => boolean;
  /** Lists the current files, under the current ignore rules. */
  readonly lookAgain: () => Promise<ReadonlyMap<string, unknown>>;
}

export interface Present {
  readonly snapshot: Snapshot;
  readonly stats: ReadonlyMap<string, Stats>;
}

export interface Restored {
  readonly changes: WorkspaceChanges;
  /** Paths that could not be restored, with the reason. */
  readonly notRestored: readonly LeftOut[];
  /** Whether it stopped before all steps were tried. */
  readonly isCancelled: boolean;
}

/** Never throws after the first change: the result lists what was done. */
export async function restoreTo(target: Snapshot, present: Present, ports: RestorePorts): Promise<Restored> {
  const { git, isProtected, signal } = ports;
  const talk = git.talk(["cat-file", "--batch"]);
  const work = new Restoration(ports, present, talk);
  try {
    const steps = stepsBetween(present.snapshot, target).filter(
      ({ path }) => !isKeptOut(path) && ![...foldersAbove(path), path].some(isProtected),
    );
    // Files that were ignored at the time existed but are not in the snapshot, so the old ignore rules are restored first.
    const rules = steps.filter(({ path }) => nameOf(path) === ".gitignore");
    for (const step of rules) await work.try(step);
    const there = rules.length > 0 ? await ports.lookAgain() : present.snapshot.files;
    for (const step of steps.filter((one) => mayBeDone(one, target, there))) await work.do(step);
    return work.result(false);
  } catch (error) {
    if (!signal.aborted) throw error;
    return work.result(true);
  } finally {
    await talk.close();
  }
}

/** A file that was left out of the snapshot is not removed. */
function mayBeDone(step: Step, { manifest }: Snapshot, there: ReadonlyMap<string, unknown>): boolean {
  if (step.type !== "remove") return true;
  const places = new Set([...foldersAbove(step.path), step.path]);
  return there.has(step.path) && !manifest.leftOut.some(({ path }) => places.has(path));
}

class Restoration {
  readonly #ports: RestorePorts;
  readonly #present: Present;
  readonly #talk: Talk;
  readonly #done = new Set<Step>();
  readonly #notRestored = new Map<string, string>();

  constructor(ports: RestorePorts, present: Present, talk: Talk) {
    this.#ports = ports;
    this.#present = present;
    this.#talk = talk;
  }

  /** Returns why the step could not be applied; undefined if it was. */
  async try(step: Step): Promise<string | undefined> {
    const { workspace, signal } = this.#ports;
    signal.throwIfAborted();
    const ports = { workspace, read: (blob: string) => this.#read(blob), before: this.#present.stats };
    try {
      if (await apply(step, ports)) this.#done.add(step);
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      return reasonOf(error, signal);
    }
  }

  async do(step: Step): Promise<void> {
    if (this.#done.has(step)) return;
    const reason = await this.try(step);
    const path = shown(step.path);
    if (reason !== undefined && !this.#notRestored.has(path)) this.#notRestored.set(path, reason);
  }

  result(isCancelled: boolean): Restored {
    const notRestored = [...this.#notRestored].map(([path, reason]) => ({ path, reason }));
    return { changes: changesOf([...this.#done]), notRestored, isCancelled };
  }

  async #read(blob: string): Promise<Buffer> {
    this.#talk.say(`${blob}\n`);
    const [line = ""] = await this.#talk.readParts("\n", 1);
    const size = line.split(" ")[2];
    if (size === undefined) throw new SnapshotFailure("its content is missing from the snapshot");
    const bytes = await this.#talk.readBytes(Number(size) + 1);
    return bytes.subarray(0, -1);
  }
}
