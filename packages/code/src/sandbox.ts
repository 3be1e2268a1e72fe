/** Runs a script in a thread of its own, which can be ended at any moment. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { WORKER } from "./sandbox-worker.ts";

/** Limits of a script. */
interface SandboxLimits {
  readonly memoryBytes: number;
  /** How long its own code can run, without the time of its calls. */
  readonly cpuMs: number;
  readonly mostCalls: number;
  readonly mostPrinted: number;
  /** The longest input of a call and the longest value, as JSON. */
  readonly mostChars: number;
  /** The inputs of all calls together. */
  readonly mostInputChars: number;
}

export interface SandboxRun {
  readonly script: string;
  /** The names of the tools that it can call. */
  readonly names: readonly string[];
  readonly limits: SandboxLimits;
  readonly signal: AbortSignal;
  /** Makes a call. Never rejects. `json` is the value, or the message of the error. */
  readonly call: (name: string, json: string) => Promise<CallAnswer>;
  readonly print: (text: string) => void;
}

export interface CallAnswer {
  readonly ok: boolean;
  readonly json: string;
}

/** How a script ended. */
export type ScriptEnd =
  | { readonly type: "returned"; readonly json: string | undefined }
  | { readonly type: "failed"; readonly kind: FailureKind; readonly message?: string };

type FailureKind =
  | "threw"
  | "cpu"
  | "large"
  /** It waits for a promise that nothing resolves. */
  | "stuck"
  | "crashed"
  | "stopped";

type FromWorker =
  | ScriptEnd
  | { readonly type: "call"; readonly id: number; readonly name: string; readonly json: string }
  | { readonly type: "print"; readonly text: string }
  /** It waits for calls, and has handled so many answers. */
  | { readonly type: "idle"; readonly answers: number };

const require = createRequire(import.meta.url);
const STACK_BYTES = 512 * 1024;
/** The engine checks its own time limit. A thread that does not come back for so much longer is ended. */
const WATCH_FACTOR = 2;
const GRACE_MS = 5_000;

// The types of Node have no value for it.
const { WebAssembly: wasmApi } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<object> };
};
let compiled: Promise<object> | undefined;

/** Compiled once: all threads share the code, and each has its own memory. */
function interpreter(): Promise<object> {
  compiled ??= readFile(require.resolve("@jitl/quickjs-wasmfile-release-sync/wasm")).then((bytes) =>
    wasmApi.compile(bytes),
  );
  return compiled;
}

export async function runScript(run: SandboxRun): Promise<ScriptEnd> {
  const wasm = await interpreter();
  if (run.signal.aborted) return STOPPED;
  const { mostCalls, ...limits } = run.limits;
  const worker = new Worker(WORKER, {
    eval: true,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    workerData: {
      core: require.resolve("quickjs-emscripten-core"),
      variant: require.resolve("@jitl/quickjs-wasmfile-release-sync"),
      wasm,
      script: run.script,
      names: [...run.names],
      stackBytes: STACK_BYTES,
      mostCalls,
      ...limits,
    },
  });
  try {
    return await ended(worker, run);
  } finally {
    await worker.terminate();
  }
}

const STOPPED: ScriptEnd = { type: "failed", kind: "stopped" };

function ended(worker: Worker, run: SandboxRun): Promise<ScriptEnd> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    let answers = 0;
    const stop = (): void => end(STOPPED);
    const end = (how: ScriptEnd): void => {
      isOver = true;
      clearTimeout(timer);
      run.signal.removeEventListener("abort", stop);
      resolve(how);
    };
    const watch = (): void => {
      clearTimeout(timer);
      timer = setTimeout(
        () => end({ type: "failed", kind: "cpu" }),
        run.limits.cpuMs * WATCH_FACTOR + GRACE_MS,
      );
    };
    const answer = async (id: number, name: string, json: string): Promise<void> => {
      const { ok, json: said } = await run.call(name, json);
      if (isOver) return;
      answers++;
      watch();
      // A port of a thread has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage({ id, ok, json: said });
    };
    run.signal.addEventListener("abort", stop, { once: true });
    worker.on("message", (message: FromWorker) => {
      // Between the end of a script and the end of its thread, nothing that it says has an effect.
      if (isOver) return;
      if (message.type === "call") return void answer(message.id, message.name, message.json);
      if (message.type === "print") return run.print(message.text);
      // If an answer is on its way, the script is about to run again.
      if (message.type === "idle") return message.answers === answers ? clearTimeout(timer) : undefined;
      end(message);
    });
    worker.on("error", (error) => end({ type: "failed", kind: "crashed", message: error.message }));
    worker.on("exit", () => end({ type: "failed", kind: "crashed", message: "the thread ended" }));
    watch();
  });
}
