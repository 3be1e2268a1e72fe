/** Checks whether bubblewrap works here by starting it once. */

import { spawn } from "node:child_process";
import { codeOf, messageOf, SYSTEM_FOLDERS } from "@runahead/base";

const NOT_INSTALLED = "Install bubblewrap, for example: apt-get install -y bubblewrap";
const NOT_PERMITTED =
  "If the system forbids user namespaces, allow them: sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0";
const PROBE_MS = 10_000;
const WORDS_CHARS = 1_000;
const MISSING = new Set(["ENOENT", "ENOTDIR"]);
/** Temporary shortages that say nothing about the sandbox (F12). */
const SHORTAGES = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"]);

interface Failure {
  readonly code: string;
  readonly message: string;
}

export interface Probe {
  readonly command: readonly string[];
  /** Passed to the child from descriptor 3 on. */
  readonly descriptors: readonly (number | "ignore")[];
}

/** Resolves with why it does not work; undefined if it does. Rejects on a temporary shortage of the machine. */
export async function probe(one: Probe): Promise<string | undefined> {
  const problem = await failureOf(one);
  if (problem === undefined) return undefined;
  if (SHORTAGES.has(problem.code)) throw new Error(problem.message);
  const hint = MISSING.has(problem.code) ? NOT_INSTALLED : NOT_PERMITTED;
  return `The sandbox cannot start: ${problem.message}. ${hint}`;
}

function failureOf({ command, descriptors }: Probe): Promise<Failure | undefined> {
  const [program = "", ...args] = command;
  return new Promise((settle) => {
    const failed = (error: unknown): void => {
      const code = codeOf(error);
      settle({ code, message: MISSING.has(code) ? `${program} is not installed` : messageOf(error) });
    };
    try {
      const stdio = ["ignore", "ignore", "pipe", ...descriptors] as const;
      const env = { PATH: SYSTEM_FOLDERS.join(":") };
      const limits = { timeout: PROBE_MS, killSignal: "SIGKILL" } as const;
      const child = spawn(program, args, { env, stdio: [...stdio], ...limits });
      let words = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        words = (words + text).slice(0, WORDS_CHARS);
      });
      child.once("error", failed);
      child.once("close", (code, signal) => {
        if (code === 0) return settle(undefined);
        const ending = signal === null ? `exit code ${code}` : `killed by ${signal}`;
        settle({ code: "", message: words.trim() || ending });
      });
    } catch (error) {
      // Some spawn errors are thrown synchronously.
      failed(error);
    }
  });
}
