/** Ends a server that was started in its own process group. */

import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { endProcesses, markedProcesses } from "./end-processes.ts";

/** How long it can take to end by itself after its input was closed. */
const CLOSED_MS = 500;

interface Ending {
  /** Resolves when the process has exited. */
  readonly exited: Promise<unknown>;
  /** The variable in its environment by which the processes that left its group are found, as `NAME=value`. */
  readonly mark: string;
  /** How long it can take to end after each signal, in milliseconds. */
  readonly graceMs: number;
}

/** Closes its input, then sends SIGTERM and SIGKILL to its group, then ends all processes with its mark. */
export async function endChild(child: ChildProcess, { exited, mark, graceMs }: Ending): Promise<void> {
  child.stdin?.end();
  await within(CLOSED_MS, exited);
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    if (isRunning(child)) signalChild(child, name);
    await within(graceMs, exited);
  }
  await endProcesses(() => markedProcesses(mark));
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
}

async function within(limitMs: number, exited: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const limit = pause(limitMs, undefined, { signal: waiting.signal }).catch(() => {});
  await Promise.race([exited, limit]);
  waiting.abort();
}

/** The process is not reaped yet, so its pid and its group still belong to it. */
function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function signalChild({ pid = 0 }: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, name);
  } catch {
    // It has just exited.
  }
}
