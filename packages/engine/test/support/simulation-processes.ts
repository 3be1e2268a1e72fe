/** Runs a simulation in several processes: of turns, of sessions, or of worlds seen from outside. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type LongRun, seedsOf } from "./long-run.ts";

export const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

/**
 * A third less CPU: simulated tools throw all the time, and nobody reads those stacks. `trace.ts` shows a seed with them.
 *
 * Single-threaded, because while V8 optimizes a closure on another thread, it keeps the variables of that closure in
 * memory. On a busy machine this takes so long that a check of what is kept in memory sees it.
 */
const FLAGS = ["--stack-trace-limit=0", "--single-threaded", "--max-semi-space-size=32"];

const FROM_ENGINE = /^\.\.\/\.\.\/src\//;

interface Simulation<Summary> {
  /** The program that runs a part: `main.ts FROM COUNT [stop]` prints a summary as JSON. */
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
export async function simulatePartWith<Summary>(
  main: string,
  [folder, from]: readonly [folder: string, from: number],
  part: Part,
): Promise<Summary> {
  return (await startSimulation<Summary>(main, folder))(from, part);
}

/** Bundles a simulation once. Returns what runs a part of it, with more flags of Node if there are any. */
export async function startSimulation<Summary>(
  main: string,
  folder: string,
  flags: readonly string[] = [],
): Promise<(from: number, part: Part) => Promise<Summary>> {
  const program = await bundle(main, folder);
  return (from, part) => runPart(program, [...FLAGS, ...flags], { from, ...part });
}

export async function simulateAllWith<Summary extends { readonly seeds: number }>(
  { main, seedsPerProcess, newSummary, merge }: Simulation<Summary>,
  { from, count, jobs }: LongRun,
  onProgress: (done: number) => void = () => {},
): Promise<Summary> {
  const simulatePart = await startSimulation<Summary>(main, SOURCES);
  const size = Math.min(seedsPerProcess, Math.ceil(count / jobs));
  let given = 0;
  let total = newSummary();
  const work = async (): Promise<void> => {
    while (given < count) {
      const first = from + given;
      const part = Math.min(size, count - given);
      given += part;
      // Not `merge(total, await …)`: that would forget what others add meanwhile.
      const summary = await simulatePart(first, { count: part });
      total = merge(total, summary);
      onProgress(total.seeds);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return total;
}

/** The simulation and the engine as one script: it runs in two thirds of the time that a loader takes. */
async function bundle(main: string, folder: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [main],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    plugins: [
      {
        name: "engine-under-test",
        setup: (building) =>
          building.onResolve({ filter: FROM_ENGINE }, ({ path, importer }) =>
            importer.endsWith("/engine-under-test.ts")
              ? { path: join(folder, path.replace(FROM_ENGINE, "")) }
              : undefined,
          ),
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

function runPart<Summary>(
  program: string,
  flags: readonly string[],
  { from, count, stop = false }: Part & { readonly from: number },
): Promise<Summary> {
  const args = [...flags, "--input-type=module", "-", String(from), String(count), ...(stop ? ["stop"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(program);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code, signal) => {
      if (code === 0) return resolve(JSON.parse(printed) as Summary);
      const ended = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
      reject(new Error(`The process of ${seedsOf({ from, count })} ${ended}.`));
    });
  });
}
