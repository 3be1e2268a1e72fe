/** `CLAUDE_ENV_FILE`: variables that hooks set for later shell commands. */

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@runahead/base";

type Environment = Readonly<Record<string, string | undefined>>;

const LIMIT_MS = 5_000;
const MOST_BYTES = 4_000_000;
const PRIVATE = 0o600;
/** Set by the shell itself. */
const OF_SHELL = new Set(["_", "SHLVL", "PWD", "OLDPWD"]);

export class EnvFile {
  readonly path: string;
  readonly #folder: string;
  readonly #variables: Record<string, string>;
  readonly #env: Environment;
  readonly #notice: (message: string) => void;

  /** `variables` gets what the file sets, at each `read`. */
  constructor(variables: Record<string, string>, env: Environment, notice: (message: string) => void) {
    this.#variables = variables;
    this.#env = env;
    this.#notice = notice;
    mkdirSync(tmpdir(), { recursive: true });
    this.#folder = mkdtempSync(join(tmpdir(), "runahead-env-"));
    this.path = join(this.#folder, "env.sh");
    writeFileSync(this.path, "", { mode: PRIVATE });
  }

  /** Runs the file in a shell and takes the variables that it changed. */
  async read(): Promise<void> {
    const before = { ...this.#env, ...this.#variables };
    const script = 'set -a; . "$1" >/dev/null; env -0';
    try {
      const printed = await run(["-c", script, "bash", this.path], before);
      for (const entry of printed.split("\0")) {
        const [, name = "", value = ""] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(entry) ?? [];
        if (name !== "" && !OF_SHELL.has(name) && before[name] !== value) this.#variables[name] = value;
      }
    } catch (error) {
      this.#notice(`The variables of CLAUDE_ENV_FILE are not used: ${messageOf(error)}`);
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function run(args: readonly string[], env: Environment): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      "/bin/bash",
      [...args],
      { env: { ...env }, timeout: LIMIT_MS, maxBuffer: MOST_BYTES },
      (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
    );
  });
}
