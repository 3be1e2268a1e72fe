/**
 * The process of a language server: in its own process group, recorded in the ledger of shell commands, so that the next
 * start of the program ends it if this one is killed.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { endChild, readProcess } from "@runahead/base";
import { type Ledger, MARK } from "../shell/background-ledger.ts";

const GRACE_MS = 500;
const STDERR_CHARS = 2_000;

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly ledger: Ledger;
}

export class ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with how it ended, as text for a message. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #mark: string;
  #errors = "";
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcess, mark: string) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("the process has no pipes");
    this.#child = child;
    this.#mark = mark;
    this.stdin = stdin;
    this.stdout = stdout;
    stderr.on("data", (bytes: Buffer) => {
      this.#errors = (this.#errors + bytes.toString("utf8")).slice(-STDERR_CHARS);
    });
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve(this.#words(code, signal)));
    });
    // The end of the process reports what goes wrong with a pipe.
    for (const part of [child, stdin, stdout, stderr]) part.on("error", () => {});
  }

  /** Rejects if the program cannot be started. Nothing is started without a record. */
  static start({ command, args, env, cwd, ledger }: ProcessSpec): Promise<ServerProcess> {
    ledger.open();
    const note = ledger.reserve();
    const mark = ledger.nextMark();
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env, [MARK]: mark },
      detached: process.platform !== "win32",
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      const { pid } = child;
      if (pid === undefined) return;
      note(pid, readProcess(pid)?.start ?? 0);
      resolve(new ServerProcess(child, mark));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Stops it and all processes that it started. */
  end(): Promise<void> {
    this.#ending ??= endChild(this.#child, {
      exited: this.exited,
      mark: `${MARK}=${this.#mark}`,
      graceMs: GRACE_MS,
    });
    return this.#ending;
  }

  #words(code: number | null, signal: string | null): string {
    const how = code === null ? `it was killed by ${signal ?? "a signal"}` : `it exited with code ${code}`;
    const last = this.#errors.trim().split("\n").at(-1) ?? "";
    return last === "" ? how : `${how} (${last.slice(0, 200)})`;
  }
}
