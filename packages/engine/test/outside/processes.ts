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
  /** Called as soon as a process has ended, so that an interrupted run does not lose its failures. */
  readonly onFailure?: (failed: FailedPart) => void;
}

/** A failure, with the command that runs the worlds of its process again up to this one. */
export interface FailedPart extends Failed {
  readonly repeat: string;
}

export async function simulateWorlds(
  { from, count, jobs }: LongRun,
  { folder = SOURCES, stop = false, onProgress = () => {}, onFailure = () => {} }: Options = {},
): Promise<FailedPart[]> {
  const simulatePart = await startSimulation<Failed[]>(MAIN, folder);
  const failed: FailedPart[] = [];
  let given = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    while (given < count) {
      if (stop && failed.length > 0) return;
      const first = from + given;
      const part = Math.min(WORLDS_A_PROCESS, count - given);
      given += part;
      const failures = await simulatePart(first, { count: part, stop }).catch(diedIn(first, part));
      for (const failure of failures) {
        const found = { ...failure, repeat: commandFor(first, failure.seed) };
        failed.push(found);
        onFailure(found);
      }
      onProgress((done += part));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return failed;
}

/** Not a failed world: a process that died has shown nothing about the engine. */
function diedIn(first: number, count: number): (error: Error) => never {
  return (error) => {
    throw new Error(`${error.message} Repeat: ${commandFor(first, first + count - 1)}`, { cause: error });
  };
}

/** From the first world of the process: what is compiled and what is in memory can matter. */
function commandFor(first: number, seed: number): string {
  const run = "packages/engine/test/outside/run.ts";
  return `node --import tsx ${run} ${seed - first + 1} --from ${first} --jobs 1`;
}

const MOST_PRINTED = 10;

/** Prints each failure when it is found, up to ten. */
export function printFailures(): (failed: FailedPart) => void {
  let printed = 0;
  return ({ seed, message, repeat }) => {
    if (++printed <= MOST_PRINTED) console.error(`\nFAILED seed ${seed}: ${message}\nRepeat: ${repeat}`);
  };
}
