/** The simulation of turns, in several processes. */

import { fileURLToPath } from "node:url";
import type { LongRun } from "../support/long-run.ts";
import { simulateAllWith, simulatePartWith } from "../support/simulation-processes.ts";
import { type Summary, merge, newSummary } from "./simulate.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const SIMULATION = { main: MAIN, seedsPerProcess: 5_000, newSummary, merge };

export function simulatePart(
  folder: string,
  from: number,
  part: { count: number; stop?: boolean },
): Promise<Summary> {
  return simulatePartWith(MAIN, [folder, from], part);
}

export function simulateAll(run: LongRun, onProgress?: (done: number) => void): Promise<Summary> {
  return simulateAllWith(SIMULATION, run, onProgress);
}
