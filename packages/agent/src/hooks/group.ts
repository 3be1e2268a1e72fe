/**
 * The processes of hooks, as groups: TERM, a second later KILL, and only ever at processes that are ours (F06). A group
 * is certainly ours while its first process has not been collected. Later its number may belong to somebody else, so
 * what is left of it is known by a mark in its environment, and so is what has left its group.
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
  /** They were told to stop already. */
  readonly wasTold: boolean;
}

export class Groups {
  readonly #id = randomUUID();
  readonly #sweeps = new Set<Promise<void>>();
  /** Groups whose first process has ended and that may go on for a while, with their timers. */
  readonly #left = new Map<number, NodeJS.Timeout>();
  #isClosed = false;

  /** What marks a process as ours. */
  get environment(): Readonly<Record<string, string>> {
    return { [MARK]: this.#id };
  }

  /** The first process has ended: the others may stay so long, and no longer than until `close`. */
  leave(group: number, { stayMs, wasTold }: Leaving): void {
    if (!signalGroup(group, 0)) return;
    if (stayMs <= 0 || this.#isClosed) return this.#sweep(group, wasTold);
    const end = (): void => {
      this.#left.delete(group);
      this.#sweep(group, false);
    };
    this.#left.set(group, setTimeout(end, stayMs).unref());
  }

  /** Ends whatever is left, and comes back when it is gone. */
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

  #sweep(group: number, wasTold: boolean): void {
    const ending = canSeeProcesses
      ? endProcesses(() => this.#ours().filter((one) => one.group === group), wasTold)
      : endBlindly(group);
    const sweep: Promise<void> = ending.finally(() => this.#sweeps.delete(sweep));
    this.#sweeps.add(sweep);
  }

  /** Also those that made a session of their own to outlive us. */
  #ours(): ProcessInfo[] {
    return markedProcesses(`${MARK}=${this.#id}`);
  }
}

/** Where processes cannot be looked at. */
async function endBlindly(group: number): Promise<void> {
  signalGroup(group, "SIGTERM");
  await pause(GRACE_MS);
  signalGroup(group, "SIGKILL");
}
