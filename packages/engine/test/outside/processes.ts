/** Runs many worlds in as many processes as there are cores. */

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Failed } from "./simulate.ts";

const ENGINE = fileURLToPath(new URL("../../src/index.ts", import.meta.url));
const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const WORLDS_A_PROCESS = 5_000;

function simulatePart(from: number, count: number): Promise<Failed[]> {
  const args = ["--import", "tsx", MAIN, ENGINE, String(from), String(count)];
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

export async function simulateWorlds(count: number, onProgress = (_done: number): void => {}): Promise<Failed[]> {
  const failed: Failed[] = [];
  let next = 1;
  let done = 0;
  const work = async (): Promise<void> => {
    while (next <= count) {
      const from = next;
      const part = Math.min(WORLDS_A_PROCESS, count - from + 1);
      next += part;
      failed.push(...(await simulatePart(from, part)));
      onProgress((done += part));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return failed;
}
