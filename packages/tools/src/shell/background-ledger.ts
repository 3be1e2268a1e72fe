/**
 * Records which processes each agent started. An agent has a folder, named after its process, while it lives. If it is
 * killed, the next agent finds the folder and ends the remaining processes, and only those: same boot, dead owner, and
 * the same process id and start time or the same mark (F06).
 */

import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ProcessInfo,
  allProcesses,
  commandOf,
  hasMark,
  readProcess,
  signalProcess,
} from "@runahead/base";
import { restoreRepositories } from "../sandbox/sandbox-git-guard.ts";
import { removeStandIns } from "../sandbox/sandbox-stand-ins.ts";

/** Set in the environment of every started process: the agent's id, a dot, and the number of the command. */
export const MARK = "RUNAHEAD_SHELL";

const FOLDER = "shells";
const LEDGER = "ledger";
const LOOKS = 15;
const LOOK_MS = 100;

interface Owner {
  readonly pid: number;
  readonly start: number;
  readonly boot: string;
  readonly namespace: string;
  readonly id: string;
}

export class Ledger {
  readonly folder: string;
  readonly #id = randomUUID();
  #runs = 0;

  constructor(home: string) {
    const { pid } = process;
    const start = readProcess(pid)?.start ?? 0;
    const name = [pid, start, bootOf(), namespaceOf(), this.#id].join(".");
    this.folder = join(home, FOLDER, name);
  }

  /** Creates the folder, also if it was deleted meanwhile. Nothing is started without a record. */
  open(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  nextMark(): string {
    return `${this.#id}.${++this.#runs}.`;
  }

  started(pid: number, start: number): void {
    appendFileSync(join(this.folder, LEDGER), `${pid} ${start}\n`, { mode: 0o600 });
  }

  /** Returns all living processes of this agent, including those that no call tracks any more. */
  living(): ProcessInfo[] {
    return marked(this.#id);
  }

  /** A folder that cannot be deleted, or never was one, must not keep the program from ending. */
  close(): void {
    try {
      rmSync(this.folder, { recursive: true, force: true });
    } catch {
      // The next start looks at it again.
    }
  }
}

/** A process that an agent left running and that was ended. */
export interface Reaped {
  /** Process id. */
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
}

/**
 * Ends processes that killed agents have left running. Returns what it ended. Processes of agents that still run are
 * not touched.
 *
 * @param home The `home` that the shell tools were made with.
 * @example
 * ```ts
 * for (const { pid, command } of await reapOrphans("/home/ann/.runahead")) console.log(pid, command);
 * ```
 */
export async function reapOrphans(home: string): Promise<Reaped[]> {
  const folder = join(home, FOLDER);
  const reaped: Reaped[] = [];
  for (const name of names(folder)) {
    const owner = parse(name);
    const path = join(folder, name);
    if (owner === undefined || !isOurs(path) || !isGone(owner)) continue;
    if (owner.boot === bootOf()) reaped.push(...(await reap(() => orphansOf(owner.id, path))));
    removeStandIns(path);
    restoreRepositories(path);
    rmSync(path, { recursive: true, force: true });
  }
  return reaped;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

/** An owner that cannot be seen from here (another container) counts as alive. */
function isGone({ pid, start, boot, namespace }: Owner): boolean {
  if (boot !== bootOf()) return true;
  return namespace === namespaceOf() && readProcess(pid)?.start !== start;
}

function orphansOf(id: string, path: string): ProcessInfo[] {
  const known = new Map(marked(id).map((one) => [one.pid, one]));
  for (const line of readText(join(path, LEDGER)).split("\n")) {
    const [pid, start] = line.split(" ").map(Number);
    const found = pid === undefined ? undefined : readProcess(pid);
    if (found !== undefined && found.start === start) known.set(found.pid, found);
  }
  return [...known.values()];
}

function marked(id: string): ProcessInfo[] {
  return allProcesses().filter(({ pid }) => hasMark(pid, `${MARK}=${id}.`));
}

/** Sends SIGTERM once to each, so that traps run, then SIGKILL to those that remain. */
export async function reap(find: () => ProcessInfo[]): Promise<Reaped[]> {
  const reaped = new Map<number, Reaped>();
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    for (let look = 0; look < LOOKS; look++) {
      const found = find();
      if (found.length === 0) return [...reaped.values()];
      for (const one of found) {
        const isNew = !reaped.has(one.pid);
        if (isNew) reaped.set(one.pid, { pid: one.pid, command: commandOf(one) });
        if (isNew || name === "SIGKILL") signalProcess(one, name);
      }
      await pause(LOOK_MS);
    }
  }
  return [...reaped.values()];
}

function parse(name: string): Owner | undefined {
  const [pid = "", start = "", boot = "", namespace = "", id = ""] = name.split(".");
  if (!/^\d+$/.test(pid) || !/^\d+$/.test(start) || id === "") return undefined;
  return { pid: Number(pid), start: Number(start), boot, namespace, id };
}

function bootOf(): string {
  return readText("/proc/sys/kernel/random/boot_id").trim() || "0";
}

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
