/** Runs a simulation in several processes. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LongRun } from "../support/long-run.ts";
import { type Summary, merge, newSummary } from "./simulate.ts";

export const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const SEEDS_A_PROCESS = 5_000;

/** One part of a simulation, of the sources or of a mutant of them. */
export function simulatePart(
  folder: string,
  from: number,
  { count, stop = false }: { count: number; stop?: boolean },
): Promise<Summary> {
  const args = ["--import", "tsx", MAIN, folder, String(from), String(count), ...(stop ? ["stop"] : [])];
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

export async function simulateAll(
  { from, count, jobs }: LongRun,
  onProgress: (done: number) => void = () => {},
): Promise<Summary> {
  let given = 0;
  let total = newSummary();
  const work = async (): Promise<void> => {
    while (given < count) {
      const first = from + given;
      const part = Math.min(SEEDS_A_PROCESS, count - given);
      given += part;
      // Not `merge(total, await …)`: that would forget what others add meanwhile.
      const summary = await simulatePart(SOURCES, first, { count: part });
      total = merge(total, summary);
      onProgress(total.seeds);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return total;
}
