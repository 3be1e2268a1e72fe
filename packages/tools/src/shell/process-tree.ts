/**
 * A process and all that came of it. Its session and group are certainly its own until it has been collected; later
 * that number may be somebody else's, so its others are then known by number and start, by a mark in their
 * environment, or by having one of them as a parent (F02, F04, F06). What clears its environment and also hides its
 * ancestry gets away; only a sandbox keeps that.
 */

import { setTimeout as pause } from "node:timers/promises";
import {
  type ProcessInfo,
  allProcesses,
  canSeeProcesses,
  hasMark,
  readProcess,
  signalGroup,
  signalProcess,
} from "@runahead/base";

/** Together below the five seconds after which the engine no longer waits. */
const TERM_MS = 2_000;
const KILL_MS = 1_500;
const LOOKS_MS = [5, 10, 20, 40, 80];
const LOOK_MS = 100;

interface TreeOptions {
  readonly pid: number;
  /** `NAME=value`, as it stands in the environment of the first process. */
  readonly mark: string;
  /** Programs that end all the others when they are told to stop, so that no trap could run: they go last. */
  readonly keepers: readonly string[];
}

export class ProcessTree {
  readonly pid: number;
  readonly start: number;
  readonly #mark: string;
  readonly #keepers: readonly string[];
  readonly #known = new Map<number, number>();
  #isCollected = false;
  #ending: Promise<ProcessInfo[]> | undefined;

  /** To be made before anything else can happen: as yet nobody can have collected it. */
  constructor({ pid, mark, keepers }: TreeOptions) {
    this.pid = pid;
    this.start = readProcess(pid)?.start ?? 0;
    this.#mark = mark;
    this.#keepers = keepers;
  }

  /** The first process has just ended and been collected: who is left is looked up while that can be trusted. */
  collected(): ProcessInfo[] {
    const left = this.members();
    this.#isCollected = true;
    return left;
  }

  /** As above, where the system has ended all the others with it. */
  collectedAll(): [] {
    this.#isCollected = true;
    return [];
  }

  /** All that live. */
  members(): ProcessInfo[] {
    const since = allProcesses().filter(({ start }) => start >= this.start);
    const found = new Map<number, ProcessInfo>();
    for (const one of since) if (this.#isOurs(one)) found.set(one.pid, one);
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const one of since) if (found.has(one.parent)) found.set(one.pid, one);
    }
    for (const { pid, start } of found.values()) this.#known.set(pid, start);
    return [...found.values()];
  }

  #isOurs({ pid, start, group, session }: ProcessInfo): boolean {
    if (this.#known.get(pid) === start) return true;
    if (!this.#isCollected && (group === this.pid || session === this.pid)) return true;
    return hasMark(pid, this.#mark);
  }

  /** TERM, so that traps run (F05), then KILL (F03); gives those that not even that has ended. */
  end(): Promise<ProcessInfo[]> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** KILL at once, without looking whether it helps. */
  kill(): void {
    if (!this.#isCollected) signalGroup(this.pid, "SIGKILL");
    for (const one of this.members()) signalProcess(one, "SIGKILL");
  }

  async #end(): Promise<ProcessInfo[]> {
    if (!canSeeProcesses) return this.#endGroup();
    const told = new Set<number>();
    if (await this.#gone(TERM_MS, (found) => this.#tell(found, told))) return [];
    return (await this.#gone(KILL_MS, () => this.kill())) ? [] : this.members();
  }

  /** Each is told once: a second TERM could cut a trap short. */
  #tell(found: readonly ProcessInfo[], told: Set<number>): void {
    const isFirst = told.size === 0;
    if (isFirst && this.#keepers.length === 0 && !this.#isCollected) signalGroup(this.pid, "SIGTERM");
    for (const one of found) {
      if (told.has(one.pid) || this.#keepers.includes(one.name)) continue;
      told.add(one.pid);
      const wasToldByGroup = isFirst && !this.#isCollected && one.group === this.pid;
      if (!wasToldByGroup || this.#keepers.length > 0) signalProcess(one, "SIGTERM");
      // One that is held must go on to hear it.
      signalProcess(one, "SIGCONT");
    }
  }

  async #gone(limitMs: number, act: (found: readonly ProcessInfo[]) => void): Promise<boolean> {
    const startedAt = performance.now();
    for (let look = 0; performance.now() - startedAt < limitMs; look++) {
      const found = this.members();
      if (found.length === 0) return true;
      act(found);
      await pause(LOOKS_MS[look] ?? LOOK_MS);
    }
    return this.members().length === 0;
  }

  /** Where processes cannot be looked at. */
  async #endGroup(): Promise<ProcessInfo[]> {
    for (const [name, limitMs] of [
      ["SIGTERM", TERM_MS],
      ["SIGKILL", KILL_MS],
    ] as const) {
      const startedAt = performance.now();
      if (!this.#isCollected) signalGroup(this.pid, name);
      while (performance.now() - startedAt < limitMs) {
        if (this.#isCollected || !signalGroup(this.pid, 0)) return [];
        await pause(LOOK_MS);
      }
    }
    return [];
  }
}
