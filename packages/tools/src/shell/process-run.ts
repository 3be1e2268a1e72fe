/** One command, run: in a session of its own, without a terminal, with nothing to read, bounded and stoppable. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readSync, unlinkSync, writeFileSync } from "node:fs";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { CLOSE_OTHERS, SHELL, SHELL_NAME } from "./shell-program.ts";
import { Output } from "./process-output.ts";
import type { Pipe } from "./process-pipe.ts";
import type { ProcessInfo } from "@runahead/base";
import { ProcessTree } from "./process-tree.ts";

interface RunOptions {
  readonly command: string;
  /** The program and arguments that go before the shell; empty without a sandbox. */
  readonly wrapper: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly markName: string;
  readonly mark: string;
  readonly pipe: Pipe;
  /** Nothing of it can live longer than its first process, so nothing is looked for. */
  readonly endsTogether: boolean;
  /** For the wrapper, as descriptor 4 and so on; closed once it has started. */
  readonly descriptors: readonly number[];
  readonly outputPath: string;
  /** A file of a new name, for a moment. */
  readonly reportPath: string;
  readonly maxOutputBytes: number;
}

export type Ended =
  | { readonly type: "exited"; readonly code: number }
  | { readonly type: "killed"; readonly signal: string };

/** `gone`: it was deleted. `unknown`: the shell did not come to say it. */
export type Folder =
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "gone" }
  | { readonly type: "unknown" };

/**
 * The command is evaluated in a shell that says on descriptor 3 that it has begun, and in the end where it is. The
 * command itself does not have that descriptor, nor parameters. Whatever it does to memory, the system takes it
 * before it takes us (F13).
 */
const SCRIPT = [
  CLOSE_OTHERS,
  "printf s >&3",
  "{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null",
  "trap '{ set +xv; { command pwd -P || echo gone; printf \"\\0\"; } >&3; } 2>/dev/null' EXIT",
  'eval "shift; $1" 3>&-',
  '{ set -- "$?"; set +xv; { command pwd -P || echo gone; printf "\\0"; } >&3 || :; } 2>/dev/null',
  'exit "$1"',
].join("; ");

/** After the shell has ended, what is still in the pipe is read for so long as more comes, but not for ever (F01). */
const QUIET_MS = 50;
const QUIET_ROUNDS = 20;
const LAST_WORDS_MS = 500;
const REPORT_BYTES = 16_384;

/** Throws where it cannot be started; then nothing is left of it. */
export async function startRun(options: RunOptions): Promise<Run> {
  const { pipe, outputPath, maxOutputBytes, reportPath } = options;
  const output = new Output({ pipe: pipe.readEnd, path: outputPath, maxBytes: maxOutputBytes });
  await output.start();
  let report: number | undefined;
  try {
    report = openSync(reportPath, "wx+", 0o600);
    unlinkSync(reportPath);
    const child = spawnShell(options, report);
    if (child.pid === undefined) throw await spawnFailure(child);
    if (options.wrapper.length > 0) preferForMemory(child.pid);
    return new Run(child, { options, output, report });
  } catch (error) {
    if (report !== undefined) closeSync(report);
    await output.close();
    throw error;
  } finally {
    for (const one of [pipe.writeEnd, ...options.descriptors]) closeSync(one);
  }
}

function spawnShell(options: RunOptions, report: number): ChildProcess {
  const { command, wrapper, cwd, env, markName, mark, pipe, descriptors } = options;
  const [program, ...args] = [...wrapper, SHELL, "-c", SCRIPT, SHELL_NAME, command];
  return spawn(program, args, {
    ...(wrapper.length === 0 ? { argv0: SHELL_NAME } : {}),
    cwd,
    env: { ...env, [markName]: mark },
    detached: true,
    stdio: ["ignore", pipe.writeEnd, pipe.writeEnd, report, ...descriptors],
  });
}

/** As the script does for itself, where a sandbox may keep it from that; those that it starts inherit it. */
function preferForMemory(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "500");
  } catch {
    // Not every system has it.
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
  /** The shell has ended, and what it printed has been read. */
  readonly ended: Promise<Ended>;
  /** Those that were left when the shell ended. */
  left: readonly ProcessInfo[] = [];
  /** Undefined while the shell runs. */
  ending: Ended | undefined;
  /** Why we have ended it, where that is not what its caller asked for. */
  limitReached: string | undefined;
  readonly #isSandboxed: boolean;
  readonly #endsTogether: boolean;
  #report = "";

  constructor(child: ChildProcess, { options, output, report }: Started) {
    const { markName, mark, wrapper, endsTogether } = options;
    this.#isSandboxed = wrapper.length > 0;
    this.#endsTogether = endsTogether;
    const keepers = this.#isSandboxed ? ["bwrap"] : [];
    this.tree = new ProcessTree({ pid: child.pid as number, mark: `${markName}=${mark}`, keepers });
    this.output = output;
    // What goes wrong with it later is seen by how it ends.
    child.on("error", () => {});
    this.ended = new Promise<Ended>((resolve) => {
      child.once("exit", (code, signal) => resolve(endedBy(code, signal)));
    }).then((ended) => this.#exited(ended, report));
  }

  /** False where the shell itself never began: then nothing of the command has run. */
  get hasBegun(): boolean {
    return this.#report.startsWith("s");
  }

  /** Where the shell was at its end, if it could say so. */
  get folder(): Folder {
    const last = this.#report.slice(1).split("\n\0").at(-2);
    if (last === undefined) return { type: "unknown" };
    return last.startsWith("/") ? { type: "path", path: last } : { type: "gone" };
  }

  /** Ends it with all that came of it; gives those that cannot be ended. */
  async stop(): Promise<readonly ProcessInfo[]> {
    const stubborn = await this.tree.end();
    // What traps have printed is still to be read.
    await within(LAST_WORDS_MS, this.ended);
    await this.output.close();
    return stubborn;
  }

  async #exited(ended: Ended, report: number): Promise<Ended> {
    const left = this.#endsTogether ? this.tree.collectedAll() : this.tree.collected();
    this.#report = readReport(report);
    await this.#drain();
    // Some only needed a moment more; in a sandbox the system is just ending them.
    if (left.length > 0) this.left = this.#isSandboxed ? await this.tree.end() : this.tree.members();
    this.ending = ended;
    return ended;
  }

  /** Whoever was left behind may keep the pipe open for as long as it likes (F02). */
  async #drain(): Promise<void> {
    const { output } = this;
    for (let round = 0; round < QUIET_ROUNDS; ) {
      const before = output.bytes;
      const isOver = await within(QUIET_MS, output.ended);
      // A busy program looks at its timers before its pipes.
      await setImmediate();
      if (isOver || (before === output.bytes && !output.isHeld)) return;
      if (!output.isHeld) round++;
    }
  }
}

/** Whether it came about in that time. */
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
