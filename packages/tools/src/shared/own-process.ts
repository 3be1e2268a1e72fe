/**
 * Runs a script in a separate process with a time and memory limit. A worker thread is not enough: one that runs out of
 * memory can crash the whole program, and a malicious page, image or document can cause that.
 */

import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";

export interface ProcessJob {
  /** The body of an async function with the parameter `input`; its return value is the answer. */
  readonly script: string;
  /** Input and answer are passed as JSON. */
  readonly input: unknown;
  /** The address of a module, from `addressOf`. The script uses it as `library`. */
  readonly library?: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export type ProcessEnd =
  | { readonly type: "answered"; readonly answer: unknown }
  | { readonly type: "failed"; readonly message: string };

const HEAP_MB = 512;
const ANSWER_BYTES = 64 * 1024 * 1024;

export function runInProcess(job: ProcessJob): Promise<ProcessEnd> {
  const { input, limitMs, signal } = job;
  signal.throwIfAborted();
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...codeOf(job)], {
    stdio: ["pipe", "pipe", "ignore"],
    // Untrusted content must not see the user's environment.
    env: {},
  });
  const pieces: Buffer[] = [];
  let bytes = 0;
  let why = "the reader crashed or ran out of memory";
  return new Promise<ProcessEnd>((done, fail) => {
    const giveUp = (reason: string): void => {
      why = reason;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => giveUp(`it took longer than ${limitMs / 1_000} s`), limitMs);
    const stop = (): void => void child.kill("SIGKILL");
    signal.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > ANSWER_BYTES) giveUp("its text is too long");
      else pieces.push(piece);
    });
    child.on("error", (error) => (why = error.message));
    child.on("close", (code) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      if (signal.aborted) fail(signal.reason as Error);
      else
        done(
          code === 0
            ? (JSON.parse(Buffer.concat(pieces).toString()) as ProcessEnd)
            : { type: "failed", message: why },
        );
    });
    // The child can exit before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(input));
  });
}

/** Converts a path from `require.resolve` to a URL for `library`. */
export function addressOf(path: string): string {
  return pathToFileURL(path).href;
}

/** The statement, because the bundler of the program replaces the expression also in texts. */
function codeOf({ script, library }: ProcessJob): string[] {
  if (library === undefined) return ["-e", wrapped(script)];
  const code = `import * as library from ${JSON.stringify(library)};${wrapped(script)}`;
  return ["--input-type=module", "-e", code];
}

function wrapped(script: string): string {
  return `
const run = async (input) => { ${script} };
const end = (value) => process.stdout.write(JSON.stringify(value), () => process.exit(0));
let text = "";
process.stdin.setEncoding("utf8").on("data", (piece) => (text += piece)).on("end", () => {
  run(JSON.parse(text)).then(
    (answer) => end({ type: "answered", answer }),
    (error) => end({ type: "failed", message: String(error?.message ?? error) }),
  );
});`;
}
