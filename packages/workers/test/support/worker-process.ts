/** Starts workers in processes of their own, and sees that none is left. */

import { type ChildProcess, fork } from "node:child_process";
import { type BundledChild, bundledChild } from "../../../agent/test/kill/bundled-child.ts";

const CHILD = new URL("worker-child.ts", import.meta.url);
const START_MS = 60_000;

export interface WorkerProcess {
  readonly id: string;
  readonly pid: number;
  readonly child: ChildProcess;
  signal(name: NodeJS.Signals): void;
  readonly gone: Promise<unknown>;
}

const open = new Set<ChildProcess>();
let bundled: Promise<BundledChild> | undefined;

export async function workerProcess(url: string, queue: string, concurrency = 4): Promise<WorkerProcess> {
  bundled ??= bundledChild(CHILD);
  const child = fork((await bundled).path, [url, queue, String(concurrency)], {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  open.add(child);
  const gone = new Promise((resolve) => child.once("exit", resolve)).finally(() => open.delete(child));
  const id = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the worker did not start")), START_MS);
    child.once("message", (message: { id: string }) => {
      clearTimeout(timer);
      resolve(message.id);
    });
    child.once("exit", () => reject(new Error("the worker ended")));
  });
  return { id, pid: child.pid as number, child, gone, signal: (name) => void child.kill(name) };
}

/** Ends the workers that a test left, and resolves when they are gone. */
export async function endWorkers(): Promise<void> {
  const left = [...open];
  const gone = left.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of left) child.kill("SIGKILL");
  await Promise.all(gone);
  await (await bundled)?.remove();
  bundled = undefined;
}
