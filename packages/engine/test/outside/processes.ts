/** Runs many worlds in several processes. */

import { fileURLToPath } from "node:url";
import type { LongRun } from "../support/long-run.ts";
import { SOURCES, startSimulation } from "../support/simulation-processes.ts";
import type { Failed } from "./simulate.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const WORLDS_A_PROCESS = 5_000;

interface Options {
  /** The sources of the engine, or of a mutant of them. */
  readonly folder?: string;
  /** Whether the first failure of a process is enough. */
  readonly stop?: boolean;
  readonly onProgress?: (done: number) => void;
}

export async function simulateWorlds(
  { from, count, jobs }: LongRun,
  { folder = SOURCES, stop = false, onProgress = () => {} }: Options = {},
): Promise<Failed[]> {
  const simulatePart = await startSimulation<Failed[]>(MAIN, folder);
  const failed: Failed[] = [];
  let given = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    while (given < count) {
      if (stop && failed.length > 0) return;
      const first = from + given;
      const part = Math.min(WORLDS_A_PROCESS, count - given);
      given += part;
      failed.push(...(await simulatePart(first, { count: part, stop })));
      onProgress((done += part));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return failed;
}
