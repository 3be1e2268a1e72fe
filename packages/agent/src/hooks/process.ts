/** Runs a command hook in its own session and process group, without a terminal, with limits on time and output (D15). */

import { type ChildProcess, spawn } from "node:child_process";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { type BackgroundRequest, backgroundRequest } from "./background.ts";
import { Capture } from "./capture.ts";
import type { HookEnding, Printed } from "./ending.ts";
import { signalGroup, messageOf } from "@runahead/base";
import { GRACE_MS, type Groups } from "./group.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to its stdin, which is then closed. */
  readonly input: string;
  readonly limitMs: number;
  /** Processes that it leaves running can use the rest of its time limit. */
  readonly canLeave: boolean;
  readonly signal: AbortSignal;
  /** Called if it asks to continue in the background. Returns what stops it from now on; undefined if it is refused. */
  readonly onBackground?: (request: BackgroundRequest) => Stops | undefined;
}

/** What stops a command before it ends. */
export interface Stops {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * After the process has ended, others can still write its output (`exec > >(tee log)`), so its pipes are read until
 * they end or stay quiet for a while, with a limit.
 */
const QUIET_MS = 250;
const QUIET_ROUNDS = 8;
const LOOKED_AT_BYTES = 4_000;

export async function runCommand(command: Command, groups: Groups): Promise<HookEnding> {
  if (command.signal.aborted) return { type: "cancelled" };
  let child: ChildProcess;
  try {
    child = start(command, groups);
  } catch (error) {
    return { type: "not-started", message: messageOf(error) };
  }
  const { pid } = child;
  if (pid === undefined)
    return new Promise((resolve) => child.once("error", (error) => resolve(notStarted(error))));
  return new Running(child, pid, command).end(groups);
}

function start({ program, args, cwd, env }: Command, groups: Groups): ChildProcess {
  return spawn(program, [...args], {
    cwd,
    env: { ...env, ...groups.environment },
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function notStarted(error: Error): HookEnding {
  return { type: "not-started", message: error.message };
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** How it ended. Undefined if it could not be killed. */
type Ended = Exit | undefined;

class Running {
  readonly #child: ChildProcess;
  readonly #group: number;
  readonly #command: Command;
  readonly #stdout: Capture;
  readonly #stderr: Capture;
  readonly #startedAt = performance.now();
  #stops: Stops;
  #stopped: "timed-out" | "cancelled" | undefined;
  #timer: NodeJS.Timeout | undefined;
  #giveUp = (): void => {};
  readonly #cancel = (): void => this.#stop("cancelled");
  /** Undefined while its output can still begin with a request. */
  #request: BackgroundRequest | "none" | undefined;

  constructor(child: ChildProcess, pid: number, command: Command) {
    this.#child = child;
    this.#group = pid;
    this.#command = command;
    this.#stops = command;
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("spawn returned no pipes");
    this.#stdout = new Capture(stdout, () => this.#look());
    this.#stderr = new Capture(stderr);
    // Later errors show in how the process ends.
    child.on("error", () => {});
    // A hook does not have to read its input.
    stdin.on("error", () => {});
    stdin.end(command.input);
  }

  async end(groups: Groups): Promise<HookEnding> {
    const exit = await this.#exit();
    if (this.#stopped === undefined) await this.#drain();
    const { canLeave } = this.#command;
    const left = this.#stops.limitMs - (performance.now() - this.#startedAt);
    const wasSignalled = this.#stopped !== undefined;
    groups.leave(this.#group, { stayMs: canLeave && !wasSignalled ? left : 0, wasSignalled });
    for (const pipe of [this.#stdout, this.#stderr]) pipe.close();
    this.#child.stdin?.destroy();
    return this.#ending(exit);
  }

  #exit(): Promise<Ended> {
    return new Promise((resolve) => {
      this.#giveUp = () => resolve(undefined);
      this.#limit(this.#stops);
      this.#child.once("exit", (code, name) => {
        this.#unlimit();
        resolve({ code, signal: name });
      });
    });
  }

  #limit(stops: Stops): void {
    this.#stops = stops;
    this.#timer = setTimeout(() => this.#stop("timed-out"), stops.limitMs);
    if (stops.signal.aborted) this.#cancel();
    else stops.signal.addEventListener("abort", this.#cancel, { once: true });
  }

  #unlimit(): void {
    clearTimeout(this.#timer);
    this.#stops.signal.removeEventListener("abort", this.#cancel);
  }

  #stop(why: "timed-out" | "cancelled"): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    this.#unlimit();
    signalGroup(this.#group, "SIGTERM");
    this.#timer = setTimeout(() => this.#kill(), GRACE_MS);
  }

  /** Gives up on a process that does not even end after KILL. */
  #kill(): void {
    signalGroup(this.#group, "SIGKILL");
    this.#timer = setTimeout(this.#giveUp, GRACE_MS);
  }

  /** Looks whether its output begins with a request to continue in the background. */
  #look(): void {
    const { onBackground } = this.#command;
    if (this.#request !== undefined || onBackground === undefined || this.#stopped !== undefined) return;
    const request = backgroundRequest(this.#stdout.text);
    if (request !== undefined || this.#stdout.bytes > LOOKED_AT_BYTES) this.#request = request ?? "none";
    const stops = request === undefined ? undefined : onBackground(request);
    const { exitCode, signalCode } = this.#child;
    if (stops === undefined || exitCode !== null || signalCode !== null) return;
    this.#unlimit();
    this.#limit(stops);
  }

  /** What it printed after its request. */
  get #answer(): string {
    const { text } = this.#stdout;
    if (this.#request === undefined || this.#request === "none") return text;
    return text.trimStart().slice(this.#request.text.length);
  }

  /** A process that the hook left running can keep the pipes open. */
  async #drain(): Promise<void> {
    const pipes = [this.#stdout, this.#stderr];
    const ended = Promise.all(pipes.map((pipe) => pipe.ended)).then(() => true);
    for (let round = 0; round < QUIET_ROUNDS; round++) {
      const before = this.#stdout.bytes + this.#stderr.bytes;
      const quiet = new AbortController();
      const waited = pause(QUIET_MS, false, { signal: quiet.signal }).catch(() => true);
      const isOver = await Promise.race([ended, waited]);
      quiet.abort();
      // A busy program runs its timers before it reads its pipes.
      await setImmediate();
      if (isOver || before === this.#stdout.bytes + this.#stderr.bytes) return;
    }
  }

  #ending(exit: Ended): HookEnding {
    const printed: Printed = {
      stdout: this.#answer,
      stderr: this.#stderr.text,
      isCut: this.#stdout.isCut || this.#stderr.isCut,
    };
    if (this.#stopped === "cancelled") return { type: "cancelled" };
    if (this.#stopped === "timed-out") return { type: "timed-out", limitMs: this.#stops.limitMs, ...printed };
    if (typeof exit?.code === "number") return { type: "exited", code: exit.code, ...printed };
    return { type: "killed", signal: exit?.signal ?? "an unknown signal", ...printed };
  }
}
