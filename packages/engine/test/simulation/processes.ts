/** Runs a simulation in as many processes as there are cores. */

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
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
  seeds: number,
  onProgress: (done: number) => void = () => {},
): Promise<Summary> {
  let next = 1;
  let total = newSummary();
  const work = async (): Promise<void> => {
    while (next <= seeds) {
      const from = next;
      const count = Math.min(SEEDS_A_PROCESS, seeds - from + 1);
      next += count;
      const part = await simulatePart(SOURCES, from, { count });
      total = merge(total, part);
      onProgress(total.seeds);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return total;
}
