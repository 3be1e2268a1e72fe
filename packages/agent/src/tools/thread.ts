/**
 * Runs a script in a thread of its own: what reads foreign formats may loop, or take memory without end, and must not
 * take the agent with it. The script is text, so that it runs from sources and from a build alike.
 */

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { Refusal } from "./refusal.ts";

export interface ThreadJob {
  /** The body of an async function of `library` and `input`; what it returns is the answer. */
  readonly script: string;
  /** The package that the script uses. */
  readonly library: string;
  readonly input: unknown;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export type ThreadEnd =
  | { readonly type: "answered"; readonly answer: unknown }
  | { readonly type: "failed"; readonly message: string };

const HEAP_MB = 512;

export async function runInThread({
  script,
  library,
  input,
  limitMs,
  signal,
}: ThreadJob): Promise<ThreadEnd> {
  signal.throwIfAborted();
  const worker = new Worker(wrapped(script), {
    eval: true,
    workerData: { library: addressOf(library), input },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    // What a library prints is not for the terminal.
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  let stop = (): void => {};
  try {
    return await new Promise<ThreadEnd>((done, fail) => {
      stop = (): void => fail(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      const failed = (message: string): void => done({ type: "failed", message });
      timer = setTimeout(() => failed(`it took longer than ${limitMs / 1_000} s`), limitMs);
      worker.once("message", (message: ThreadEnd) => done(message));
      worker.once("error", (error) => failed(error.message));
      worker.once("exit", () => failed("its thread ended"));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

function addressOf(library: string): string {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve(library)).href;
  } catch {
    throw new Refusal(`The package ${library}, which this needs, is not installed.`);
  }
}

function wrapped(script: string): string {
  return `
const { parentPort, workerData } = require("node:worker_threads");
const run = async (library, input) => { ${script} };
import(workerData.library)
  .then((library) => run(library, workerData.input))
  .then(
    (answer) => parentPort.postMessage({ type: "answered", answer }),
    (error) => parentPort.postMessage({ type: "failed", message: String(error?.message ?? error) }),
  );`;
}
