/**
 * The processes of hooks, as groups: TERM, a second later KILL, and only ever at processes that are ours (F06). A group
 * is certainly ours while its first process has not been collected. Later its number may belong to somebody else, so
 * what is left of it is known by a mark in its environment, and so is what has left its group.
 */

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export const GRACE_MS = 1_000;
/** Looking through all processes is not free, so it is done ever more rarely. */
const LOOKS_MS = [10, 20, 40, 80, 150, 300, 400];
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
    if (!signal(group, 0)) return;
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
    await endAll(() => this.#ours(), false);
  }

  #sweep(group: number, wasTold: boolean): void {
    const ending = existsSync("/proc/self/stat")
      ? endAll(() => this.#ours().filter((pid) => groupOf(pid) === group), wasTold)
      : endBlindly(group);
    const sweep: Promise<void> = ending.finally(() => this.#sweeps.delete(sweep));
    this.#sweeps.add(sweep);
  }

  /** Also those that made a session of their own to outlive us. */
  #ours(): number[] {
    const mark = `${MARK}=${this.#id}`;
    return processes().filter((pid) => groupOf(pid) !== undefined && hasMark(pid, mark));
  }
}

/** False where there is no such group. */
export function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

function signalOne(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** TERM to each once, so that traps run; to those that stay, KILL. */
async function endAll(find: () => number[], wereTold: boolean): Promise<void> {
  const told = new Set(wereTold ? find() : []);
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    for (const lookMs of LOOKS_MS) {
      const found = find();
      if (found.length === 0) return;
      for (const pid of found) if (name === "SIGKILL" || !told.has(pid)) signalOne(pid, name);
      for (const pid of found) told.add(pid);
      await pause(lookMs);
    }
  }
}

/** Where processes cannot be looked at. */
async function endBlindly(group: number): Promise<void> {
  signal(group, "SIGTERM");
  await pause(GRACE_MS);
  signal(group, "SIGKILL");
}

function processes(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Undefined where it has ended, collected or not. */
function groupOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in brackets, may hold anything.
  const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return stat === "" || state === "Z" || state === "X" ? undefined : Number(group);
}

function hasMark(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`).split("\0").includes(mark);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
