/**
 * The process of a server: in its own process group, without a terminal, with a minimal environment. It is stopped by
 * closing its input, then by SIGTERM, then by SIGKILL, together with the processes that it started. Those that left the
 * group are found by a marker in their environment, on systems with /proc.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { endChild } from "@runahead/base";

const MARK = "RUNAHEAD_MCP";
const GRACE_MS = 1_000;
const DRAIN_MS = 300;
const INHERITED =
  /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|APPDATA|COMSPEC|LOCALAPPDATA|PATHEXT|PROGRAM(?:DATA|FILES|W6432)|SYSTEM(?:DRIVE|ROOT)|TEMP|USERNAME|USERPROFILE|WINDIR)$/i;

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** Variables that the user's settings give to every server. */
  readonly added: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export class ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with how it ended, as text for a message. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #mark: string;
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcess, mark: string) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("the process has no pipes");
    this.#child = child;
    this.#mark = mark;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, name) => {
        // Its last output is read first; other processes can hold its pipes for longer.
        const timer = setTimeout(() => resolve(words(code, name)), DRAIN_MS);
        child.once("close", () => {
          clearTimeout(timer);
          resolve(words(code, name));
        });
      });
    });
    // The end of the process reports what goes wrong with a pipe.
    for (const part of [child, stdin, stdout, stderr]) part.on("error", () => {});
  }

  /** Rejects if the program cannot be started. */
  static start({ command, args, env, inherited, added, cwd }: ProcessSpec): Promise<ServerProcess> {
    const mark = randomUUID();
    const child = spawn(command, [...args], {
      cwd,
      env: { ...minimal(inherited), ...added, ...env, [MARK]: mark },
      detached: process.platform !== "win32",
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      if (child.pid !== undefined) resolve(new ServerProcess(child, mark));
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
}

function words(code: number | null, name: string | null): string {
  return code === null ? `it was killed by ${name ?? "an unknown signal"}` : `it exited with code ${code}`;
}

function minimal(env: ProcessSpec["inherited"]): Record<string, string> {
  const kept = Object.entries(env).filter(
    // A value that starts with `()` is a function exported by an old shell.
    ([name, value]) => INHERITED.test(name) && value !== undefined && !value.startsWith("()"),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
