/**
 * The process of a server: in a group of its own, without a terminal, with little of our environment. It is told to end
 * by closing its input, then by TERM, then by KILL, and what it has started ends with it. What has left its group is
 * found by a mark in its environment, where processes can be looked at.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { endProcesses, markedProcesses } from "@runahead/base";

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
  /** What the person's settings give to every server. */
  readonly added: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export class ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended, in words. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #mark: string;
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcess, mark: string) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("spawn gave no pipes");
    this.#child = child;
    this.#mark = mark;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, name) => {
        // What it wrote last is read first; others may hold its pipes for longer.
        const timer = setTimeout(() => resolve(words(code, name)), DRAIN_MS);
        child.once("close", () => {
          clearTimeout(timer);
          resolve(words(code, name));
        });
      });
    });
    // What goes wrong with a pipe is seen by the process having ended.
    for (const part of [child, stdin, stdout, stderr]) part.on("error", () => {});
  }

  /** Rejects where the program cannot be started. */
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

  /** Ends it and all that it has started. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.stdin.end();
    await this.#isGone(GRACE_MS / 2);
    for (const name of ["SIGTERM", "SIGKILL"] as const) {
      if (this.#isRunning()) this.#signal(name);
      await this.#isGone(GRACE_MS);
    }
    await endProcesses(() => markedProcesses(`${MARK}=${this.#mark}`));
    for (const pipe of [this.stdin, this.stdout, this.stderr]) pipe.destroy();
  }

  async #isGone(limitMs: number): Promise<void> {
    const waiting = new AbortController();
    const limit = pause(limitMs, undefined, { signal: waiting.signal }).catch(() => {});
    await Promise.race([this.exited, limit]);
    waiting.abort();
  }

  /** Not yet collected, so its number, and its group's, is certainly its own. */
  #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #signal(name: NodeJS.Signals): void {
    try {
      process.kill(process.platform === "win32" ? this.pid : -this.pid, name);
    } catch {
      // It has just ended by itself.
    }
  }
}

function words(code: number | null, name: string | null): string {
  return code === null ? `it was ended by ${name ?? "an unknown signal"}` : `it ended with exit code ${code}`;
}

function minimal(env: ProcessSpec["inherited"]): Record<string, string> {
  const kept = Object.entries(env).filter(
    // A value that begins so is a function of an old shell.
    ([name, value]) => INHERITED.test(name) && value !== undefined && !value.startsWith("()"),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
