/** Processes as the kernel lists them. One is known by its number and its start: numbers are given out again (F06). */

import { existsSync, readFileSync, readdirSync } from "node:fs";

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In the kernel's count since boot. */
  readonly start: number;
  readonly name: string;
}

/** Elsewhere only groups can be signalled, and what has left its group is not found. */
export const canSeeProcesses = existsSync("/proc/self/stat");

/** Undefined where it has ended, collected or not. */
export function readProcess(pid: number): ProcessInfo | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in brackets, may hold anything.
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

/** Whether its environment, as it was when its program started, has a variable that begins so. */
export function hasMark(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`)
    .split("\0")
    .some((variable) => variable.startsWith(mark));
}

const SHOWN_CHARS = 80;

/** Its command line, for people. */
export function commandOf({ pid, name }: ProcessInfo): string {
  const line = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return (line === "" ? name : line).slice(0, SHOWN_CHARS);
}

/** Looks once more that it is the same process, and false where it is not, or may not be signalled. */
export function signalProcess({ pid, start }: ProcessInfo, name: NodeJS.Signals): boolean {
  if (readProcess(pid)?.start !== start) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** False where there is no such group. */
export function signalGroup(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

/** How many tasks the whole machine has: one small read. */
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
