/**
 * Ends the process groups of hooks with TERM and, a second later, KILL. Signals only our own processes (F06): once the
 * first process of a group is gone, its number can be reused, so the rest is found by a mark in the environment.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  endProcesses,
  markedProcesses,
  type ProcessInfo,
  canSeeProcesses,
  signalGroup,
} from "@runahead/base";

export const GRACE_MS = 1_000;
const MARK = "RUNAHEAD_HOOKS";

interface Leaving {
  readonly stayMs: number;
  /** They already got a TERM. */
  readonly wasSignalled: boolean;
}

export class Groups {
  readonly #id = randomUUID();
  readonly #sweeps = new Set<Promise<void>>();
  /** Groups whose first process has ended and that can continue for a while, with their timers. */
  readonly #left = new Map<number, NodeJS.Timeout>();
  #isClosed = false;

  /** The mark in the environment of our processes. */
  get environment(): Readonly<Record<string, string>> {
    return { [MARK]: this.#id };
  }

  /** The first process has ended. The others can run for `stayMs`, but at most until `close`. */
  leave(group: number, { stayMs, wasSignalled }: Leaving): void {
    if (!signalGroup(group, 0)) return;
    if (stayMs <= 0 || this.#isClosed) return this.#sweep(group, wasSignalled);
    const end = (): void => {
      this.#left.delete(group);
      this.#sweep(group, false);
    };
    this.#left.set(group, setTimeout(end, stayMs).unref());
  }

  /** Ends all remaining processes, and resolves when they are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [group, timer] of this.#left) {
      clearTimeout(timer);
      this.#sweep(group, false);
    }
    this.#left.clear();
    await Promise.all(this.#sweeps);
    await endProcesses(() => this.#ours());
  }

  #sweep(group: number, wasSignalled: boolean): void {
    const ending = canSeeProcesses
      ? endProcesses(() => this.#ours().filter((one) => one.group === group), wasSignalled)
      : endBlindly(group);
    const sweep: Promise<void> = ending.finally(() => this.#sweeps.delete(sweep));
    this.#sweeps.add(sweep);
  }

  /** Also finds processes that started their own session. */
  #ours(): ProcessInfo[] {
    return markedProcesses(`${MARK}=${this.#id}`);
  }
}

/** For platforms where processes cannot be listed. */
async function endBlindly(group: number): Promise<void> {
  signalGroup(group, "SIGTERM");
  await pause(GRACE_MS);
  signalGroup(group, "SIGKILL");
}
