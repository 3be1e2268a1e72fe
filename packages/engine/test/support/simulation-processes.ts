/** Runs a simulation in several processes: of turns, or of sessions. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LongRun } from "./long-run.ts";

export const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

interface Simulation<Summary> {
  /** The program that runs a part: `main.ts FOLDER FROM COUNT [stop]` prints a summary as JSON. */
  readonly main: string;
  readonly seedsPerProcess: number;
  readonly newSummary: () => Summary;
  readonly merge: (one: Summary, other: Summary) => Summary;
}

interface Part {
  readonly count: number;
  readonly stop?: boolean;
}

/** One part of a simulation, of the sources or of a mutant of them. */
export function simulatePartWith<Summary>(
  main: string,
  [folder, from]: readonly [folder: string, from: number],
  { count, stop = false }: Part,
): Promise<Summary> {
  const args = ["--import", "tsx", main, folder, String(from), String(count), ...(stop ? ["stop"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => {
      if (code === 0) resolve(JSON.parse(printed) as Summary);
      else reject(new Error(`The simulation from seed ${from} ended with code ${code}.`));
    });
  });
}

export async function simulateAllWith<Summary extends { readonly seeds: number }>(
  { main, seedsPerProcess, newSummary, merge }: Simulation<Summary>,
  { from, count, jobs }: LongRun,
  onProgress: (done: number) => void = () => {},
): Promise<Summary> {
  const size = Math.min(seedsPerProcess, Math.ceil(count / jobs));
  let given = 0;
  let total = newSummary();
  const work = async (): Promise<void> => {
    while (given < count) {
      const first = from + given;
      const part = Math.min(size, count - given);
      given += part;
      // Not `merge(total, await …)`: that would forget what others add meanwhile.
      const summary = await simulatePartWith<Summary>(main, [SOURCES, first], { count: part });
      total = merge(total, summary);
      onProgress(total.seeds);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return total;
}
