/** Runs one command in its own session, without a terminal and with empty stdin. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { CLOSE_OTHERS, SHELL, SHELL_NAME } from "./shell-program.ts";
import { Output } from "./process-output.ts";
import type { Pipe } from "./process-pipe.ts";
import type { ProcessInfo } from "@runahead/base";
import type { Lineage } from "./process-lineage.ts";
import { ProcessTree } from "./process-tree.ts";

interface RunOptions {
  readonly command: string;
  /** Program and arguments before the shell; empty without a sandbox. */
  readonly wrapper: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly markName: string;
  readonly mark: string;
  readonly pipe: Pipe;
  /** What the processes of the command inherit, and are recognized by. */
  readonly lineage: Lineage;
  /** Whether no descendant can outlive the first process, so that none must be searched for. */
  readonly endsTogether: boolean;
  /** Passed to the wrapper from descriptor 4 on; closed once it has started. */
  readonly descriptors: readonly number[];
  readonly outputPath: string;
  /** Path for a temporary file; must not exist. */
  readonly reportPath: string;
  readonly maxOutputBytes: number;
}

export type Ended =
  | { readonly type: "exited"; readonly code: number }
  | { readonly type: "killed"; readonly signal: string };

/** `gone`: the folder was deleted. `unknown`: the shell ended before it could report it. */
export type Folder =
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "gone" }
  | { readonly type: "unknown" };

/**
 * Evaluates the command in a shell that reports on descriptor 3 that it has begun and, at the end, its working
 * directory. The command itself gets neither that descriptor nor parameters. If memory runs out, the system kills the
 * command before the agent (F13).
 */
export const scriptFor = (weight: number): string =>
  [
    CLOSE_OTHERS,
    // A command whose start is not recorded must not run: its result would say that it did not.
    "printf s >&3 || exit 125",
    `{ echo ${weight} >/proc/self/oom_score_adj; } 2>/dev/null`,
    "trap '{ set +xv; { command pwd -P || echo gone; printf \"\\0\"; } >&3; } 2>/dev/null' EXIT",
    'eval "shift; $1" 3>&-',
    '{ set -- "$?"; set +xv; { command pwd -P || echo gone; printf "\\0"; } >&3 || :; } 2>/dev/null',
    'exit "$1"',
  ].join("; ");

/** After the shell has ended, the rest of the pipe is read while more arrives, up to a limit (F01). */
const QUIET_MS = 50;
const QUIET_ROUNDS = 20;
const LAST_WORDS_MS = 500;
const REPORT_BYTES = 16_384;
/** Enough for the working directory, whose path has at most 4,096 bytes. */
const RESERVED_BYTES = 8_192;

/** Throws if the command cannot be started; then nothing remains of it. */
export async function startRun(options: RunOptions): Promise<Run> {
  const { pipe, outputPath, maxOutputBytes, reportPath } = options;
  const output = new Output({ pipe: pipe.readEnd, path: outputPath, maxBytes: maxOutputBytes });
  await output.start();
  let report: number | undefined;
  try {
    report = openSync(reportPath, "wx+", 0o600);
    unlinkSync(reportPath);
    reserve(report);
    const child = spawnShell(options, report);
    if (child.pid === undefined) throw await spawnFailure(child);
    if (options.wrapper.length > 0) preferForMemory(child.pid, options.lineage.weight);
    return new Run(child, { options, output, report });
  } catch (error) {
    if (report !== undefined) closeSync(report);
    await output.close();
    throw error;
  } finally {
    for (const one of [pipe.writeEnd, ...options.descriptors]) closeSync(one);
  }
}

/** Takes the space of the report now: a disk that is full later would lose it, and the command would count as not run. */
function reserve(report: number): void {
  const written = writeSync(report, Buffer.alloc(RESERVED_BYTES), 0, RESERVED_BYTES, 0);
  if (written < RESERVED_BYTES) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
}

function spawnShell(options: RunOptions, report: number): ChildProcess {
  const { command, wrapper, cwd, env, markName, mark, pipe, descriptors, lineage } = options;
  const [program, ...args] = [...wrapper, SHELL, "-c", scriptFor(lineage.weight), SHELL_NAME, command];
  return spawn(program, args, {
    ...(wrapper.length === 0 ? { argv0: SHELL_NAME } : {}),
    cwd,
    env: { ...env, [markName]: mark },
    detached: true,
    stdio: ["ignore", pipe.writeEnd, pipe.writeEnd, report, ...descriptors],
  });
}

/** Does what the script does for itself, because a sandbox can prevent that. Child processes inherit the setting. */
function preferForMemory(pid: number, weight: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(weight));
  } catch {
    // Not available on every system.
  }
}

function spawnFailure(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => child.once("error", resolve));
}

interface Started {
  readonly options: RunOptions;
  readonly output: Output;
  readonly report: number;
}

export class Run {
  readonly tree: ProcessTree;
  readonly output: Output;
  /** Resolves when the shell has ended and its output was read. */
  readonly ended: Promise<Ended>;
  /** Processes that were still running when the shell ended. */
  left: readonly ProcessInfo[] = [];
  /** Undefined while the shell runs. */
  ending: Ended | undefined;
  /** Why it was killed, if a limit was exceeded. */
  limitReached: string | undefined;
  readonly #isSandboxed: boolean;
  readonly #endsTogether: boolean;
  #report = "";

  constructor(child: ChildProcess, { options, output, report }: Started) {
    const { markName, mark, wrapper, endsTogether, lineage } = options;
    this.#isSandboxed = wrapper.length > 0;
    this.#endsTogether = endsTogether;
    const keepers = this.#isSandboxed ? ["bwrap"] : [];
    this.tree = new ProcessTree({ pid: child.pid as number, mark: `${markName}=${mark}`, keepers, lineage });
    this.output = output;
    // Later errors show in how it ends.
    child.on("error", () => {});
    this.ended = new Promise<Ended>((resolve) => {
      child.once("exit", (code, signal) => resolve(endedBy(code, signal)));
    }).then((ended) => this.#exited(ended, report));
  }

  /** False if the shell itself never started, so that nothing of the command has run. */
  get hasBegun(): boolean {
    return this.#report.startsWith("s");
  }

  /** The working directory of the shell at its end, if it was reported. */
  get folder(): Folder {
    const last = this.#report.slice(1).split("\n\0").at(-2);
    if (last === undefined) return { type: "unknown" };
    return last.startsWith("/") ? { type: "path", path: last } : { type: "gone" };
  }

  /** Ends the command with all its processes. Resolves with those that could not be killed. */
  async stop(): Promise<readonly ProcessInfo[]> {
    const stubborn = await this.tree.end();
    // The output of traps must still be read.
    await within(LAST_WORDS_MS, this.ended);
    await this.output.close();
    return stubborn;
  }

  async #exited(ended: Ended, report: number): Promise<Ended> {
    const left = this.#endsTogether ? this.tree.collectedAll() : this.tree.collected();
    this.#report = readReport(report);
    await this.#drain();
    // Some only needed a moment more; in a sandbox the system is already ending them.
    if (left.length > 0) this.left = this.#isSandboxed ? await this.tree.end() : this.tree.members();
    this.ending = ended;
    return ended;
  }

  /** A process that is still running can keep the pipe open for any time, so this does not wait for its end (F02). */
  async #drain(): Promise<void> {
    const { output } = this;
    for (let round = 0; round < QUIET_ROUNDS; ) {
      const before = output.bytes;
      const isOver = await within(QUIET_MS, output.ended);
      // A busy event loop runs timers before it reads pipes.
      await setImmediate();
      if (isOver || (before === output.bytes && !output.isHeld)) return;
      if (!output.isHeld) round++;
    }
  }
}

/** Resolves with whether the event happened within the time. */
export async function within(limitMs: number, event: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const waited = pause(limitMs, false, { signal: over.signal }).catch(() => true);
  const isOver = await Promise.race([event.then(() => true), waited]);
  over.abort();
  return isOver;
}

function endedBy(code: number | null, signal: string | null): Ended {
  return code === null ? { type: "killed", signal: signal ?? "an unknown signal" } : { type: "exited", code };
}

function readReport(report: number): string {
  const bytes = Buffer.alloc(REPORT_BYTES);
  try {
    return bytes.toString("utf8", 0, readSync(report, bytes, 0, REPORT_BYTES, 0));
  } finally {
    closeSync(report);
  }
}
