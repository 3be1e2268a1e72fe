/** Ends processes: SIGTERM once to each, so that traps run, then SIGKILL to those that are left. */

import { setTimeout as pause } from "node:timers/promises";
import { type ProcessInfo, allProcesses, hasMark, signalProcess } from "./processes.ts";

/** Listing all processes is expensive, so the pauses grow: about a second for each signal. */
const LOOKS_MS = [10, 20, 40, 80, 150, 300, 400];

/** Resolves when none is left, or when not even SIGKILL helped. `wereSignalled`: they have had SIGTERM already. */
export async function endProcesses(find: () => readonly ProcessInfo[], wereSignalled = false): Promise<void> {
  const signalled = new Set(wereSignalled ? find().map(({ pid }) => pid) : []);
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    for (const lookMs of LOOKS_MS) {
      const found = find();
      if (found.length === 0) return;
      for (const one of found) if (name === "SIGKILL" || !signalled.has(one.pid)) signalProcess(one, name);
      for (const { pid } of found) signalled.add(pid);
      await pause(lookMs);
    }
  }
}

/** Finds processes that were started with this variable, even if they left their group and session. */
export function markedProcesses(mark: string): ProcessInfo[] {
  return allProcesses().filter(({ pid }) => hasMark(pid, mark));
}
