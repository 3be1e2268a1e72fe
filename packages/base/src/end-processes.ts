/** Ending processes that are found by looking: TERM to each once, so that traps run; to those that stay, KILL. */

import { setTimeout as pause } from "node:timers/promises";
import { type ProcessInfo, allProcesses, hasMark, signalProcess } from "./processes.ts";

/** Looking through all processes is not free, so it is done ever more rarely: about a second for each signal. */
const LOOKS_MS = [10, 20, 40, 80, 150, 300, 400];

/** Comes back when none is found any more, or when not even KILL has helped. `wereTold`: they have had TERM already. */
export async function endProcesses(find: () => readonly ProcessInfo[], wereTold = false): Promise<void> {
  const told = new Set(wereTold ? find().map(({ pid }) => pid) : []);
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    for (const lookMs of LOOKS_MS) {
      const found = find();
      if (found.length === 0) return;
      for (const one of found) if (name === "SIGKILL" || !told.has(one.pid)) signalProcess(one, name);
      for (const { pid } of found) told.add(pid);
      await pause(lookMs);
    }
  }
}

/** Those whose environment had this variable when they began, also where they have left their group and session. */
export function markedProcesses(mark: string): ProcessInfo[] {
  return allProcesses().filter(({ pid }) => hasMark(pid, mark));
}
