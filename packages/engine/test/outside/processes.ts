/** Runs many worlds in several processes. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LongRun } from "../support/long-run.ts";
import type { Failed } from "./simulate.ts";

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const WORLDS_A_PROCESS = 5_000;

interface Options {
  /** The sources of the engine, or of a mutant of them. */
  readonly folder?: string;
  /** Whether the first failure of a process is enough. */
  readonly stop?: boolean;
  readonly onProgress?: (done: number) => void;
}

function simulatePart(from: number, count: number, { folder = SOURCES, stop }: Options): Promise<Failed[]> {
  const engine = `${folder}/index.ts`;
  const args = ["--import", "tsx", MAIN, engine, String(from), String(count), ...(stop ? ["stop"] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => {
      if (code === 0) resolve(JSON.parse(printed) as Failed[]);
      else reject(new Error(`The worlds from ${from} on ended with code ${code}.`));
    });
  });
}

export async function simulateWorlds(
  { from, count, jobs }: LongRun,
  options: Options = {},
): Promise<Failed[]> {
  const failed: Failed[] = [];
  let given = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    while (given < count && !(options.stop && failed.length > 0)) {
      const first = from + given;
      const part = Math.min(WORLDS_A_PROCESS, count - given);
      given += part;
      failed.push(...(await simulatePart(first, part, options)));
      options.onProgress?.((done += part));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return failed;
}
