/** Runs a simulation of trees in several processes. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SOURCES } from "../simulation/processes.ts";
import type { LongRun } from "../support/long-run.ts";
import { type TreeSummary, merge, newSummary } from "./simulate.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const SEEDS_A_PROCESS = 5_000;

/** One part of a simulation, of the sources or of a mutant of them. */
export function simulateTreePart(
  folder: string,
  from: number,
  { count, stop = false }: { count: number; stop?: boolean },
): Promise<TreeSummary> {
  const args = ["--import", "tsx", MAIN, folder, String(from), String(count), ...(stop ? ["stop"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => {
      if (code === 0) resolve(JSON.parse(printed) as TreeSummary);
      else reject(new Error(`The simulation of trees from seed ${from} ended with code ${code}.`));
    });
  });
}

export async function simulateTrees(
  { from, count, jobs }: LongRun,
  onProgress: (done: number) => void = () => {},
): Promise<TreeSummary> {
  const size = Math.min(SEEDS_A_PROCESS, Math.ceil(count / jobs));
  let given = 0;
  let total = newSummary();
  const work = async (): Promise<void> => {
    while (given < count) {
      const first = from + given;
      const part = Math.min(size, count - given);
      given += part;
      const summary = await simulateTreePart(SOURCES, first, { count: part });
      total = merge(total, summary);
      onProgress(total.seeds);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return total;
}
