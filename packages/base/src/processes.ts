/** Reads processes from /proc. A process is identified by pid and start time, because pids are reused (F06). */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Start time in clock ticks since boot. */
  readonly start: number;
  readonly name: string;
}

/** Without /proc, only groups can be signalled, and processes that left their group are not found. */
export const canSeeProcesses = existsSync("/proc/self/stat");

/** Returns undefined if it has ended, reaped or not. */
export function readProcess(pid: number): ProcessInfo | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The program name, in parentheses, can contain any character.
  const end = stat.lastIndexOf(")");
  if (end < 0) return undefined;
  const [state = "", parent, group, session, ...rest] = stat.slice(end + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: Number(rest[15]),
    name: stat.slice(stat.indexOf("(") + 1, end),
  };
}

export function allProcesses(): ProcessInfo[] {
  return numbers().flatMap((pid) => readProcess(pid) ?? []);
}

function numbers(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Returns whether the process was started with a variable that begins with `mark`. */
export function hasMark(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`)
    .split("\0")
    .some((variable) => variable.startsWith(mark));
}

/** What a process has from its parent and keeps when it clears its environment. */
export interface Inherited {
  /** Its `oom_score_adj`: how readily the system kills it when memory runs out. */
  readonly weight: number;
  /** A short digest of its control groups. */
  readonly group: string;
}

/** Undefined if the process has ended or the system does not say. */
export function inheritedBy(pid: number | "self"): Inherited | undefined {
  const weight = read(`/proc/${pid}/oom_score_adj`).trim();
  if (weight === "") return undefined;
  const group = createHash("sha256")
    .update(read(`/proc/${pid}/cgroup`))
    .digest("hex")
    .slice(0, 8);
  return { weight: Number(weight), group };
}

const SHOWN_CHARS = 80;

/** Its command line, shortened for messages. */
export function commandOf({ pid, name }: ProcessInfo): string {
  const line = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return (line === "" ? name : line).slice(0, SHOWN_CHARS);
}

/** Signals the process if the pid still belongs to it. Returns false if it does not, or on a lack of permission. */
export function signalProcess({ pid, start }: ProcessInfo, name: NodeJS.Signals): boolean {
  if (readProcess(pid)?.start !== start) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Returns false if the group does not exist. */
export function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

/** Returns the number of tasks on the machine. */
export function tasksOfMachine(): number {
  return Number(/\/(\d+)/.exec(read("/proc/loadavg"))?.[1] ?? 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
