/**
 * A process and all its descendants. Until the process is reaped, its id identifies its session and group; afterwards
 * the system can reuse the id, so descendants are identified by id and start time, by a mark in their environment, by
 * their parent, or by what they inherit otherwise (F02, F04, F06). A process that clears its environment, detaches from
 * its parents and changes its `oom_score_adj` escapes; only a sandbox prevents that.
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
import { type Lineage, isOfLineage } from "./process-lineage.ts";

/** Together less than the five seconds after which the engine abandons a call. */
const TERM_MS = 2_000;
const KILL_MS = 1_500;
const LOOKS_MS = [5, 10, 20, 40, 80];
const LOOK_MS = 100;

interface TreeOptions {
  readonly pid: number;
  /** `NAME=value` in the environment of the first process. */
  readonly mark: string;
  /** Programs that kill all the others when they get SIGTERM, so that traps could not run. They get no SIGTERM. */
  readonly keepers: readonly string[];
  /** What its processes inherit and cannot clear with their environment. Default: only the mark counts. */
  readonly lineage?: Lineage;
}

export class ProcessTree {
  readonly pid: number;
  readonly start: number;
  readonly #mark: string;
  readonly #keepers: readonly string[];
  readonly #lineage: Lineage | undefined;
  readonly #known = new Map<number, number>();
  #isCollected = false;
  #ending: Promise<ProcessInfo[]> | undefined;

  /** Must be called right after the spawn, before the process can be reaped. */
  constructor({ pid, mark, keepers, lineage }: TreeOptions) {
    this.pid = pid;
    this.start = readProcess(pid)?.start ?? 0;
    this.#mark = mark;
    this.#keepers = keepers;
    this.#lineage = lineage;
  }

  /** Call when the first process was just reaped. Returns its remaining descendants while its id is still reliable. */
  collected(): ProcessInfo[] {
    const left = this.members();
    this.#isCollected = true;
    return left;
  }

  /** Like `collected`, if the system has ended all descendants too. */
  collectedAll(): [] {
    this.#isCollected = true;
    return [];
  }

  /** Returns all living processes of the tree. */
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
    if (hasMark(pid, this.#mark)) return true;
    const anyMark = this.#mark.slice(0, this.#mark.indexOf("=") + 1);
    return this.#lineage !== undefined && isOfLineage(pid, this.#lineage, anyMark);
  }

  /** Sends SIGTERM, so that traps run (F05), then SIGKILL (F03). Resolves with the processes that survived both. */
  end(): Promise<ProcessInfo[]> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Sends SIGKILL without waiting. */
  kill(): void {
    if (!this.#isCollected) signalGroup(this.pid, "SIGKILL");
    for (const one of this.members()) signalProcess(one, "SIGKILL");
  }

  async #end(): Promise<ProcessInfo[]> {
    if (!canSeeProcesses) return this.#endGroup();
    const signalled = new Set<number>();
    if (await this.#gone(TERM_MS, (found) => this.#terminate(found, signalled))) return [];
    return (await this.#gone(KILL_MS, () => this.kill())) ? [] : this.members();
  }

  /** Each process gets SIGTERM once: a second one could interrupt a trap. */
  #terminate(found: readonly ProcessInfo[], signalled: Set<number>): void {
    const isFirst = signalled.size === 0;
    if (isFirst && this.#keepers.length === 0 && !this.#isCollected) signalGroup(this.pid, "SIGTERM");
    for (const one of found) {
      if (signalled.has(one.pid) || this.#keepers.includes(one.name)) continue;
      signalled.add(one.pid);
      const gotGroupSignal = isFirst && !this.#isCollected && one.group === this.pid;
      if (!gotGroupSignal || this.#keepers.length > 0) signalProcess(one, "SIGTERM");
      // A stopped process must continue to receive the signal.
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

  /** The fallback if processes cannot be listed. */
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
