/** The commands of one agent: those that calls wait for, and the jobs that go on behind them. None outlives `close`. */

import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf, type Environment, withoutOwnKeys } from "@runahead/base";
import type { Confinement } from "@runahead/permissions";
import { Ledger, MARK, reap } from "./background-ledger.ts";
import { type Pipe, Pipes } from "./process-pipe.ts";
import { type Run, startRun } from "./process-run.ts";
import { ProcessWatch } from "./process-watch.ts";
import { Refusal } from "../shared/refusal.ts";
import { StandIns } from "../sandbox/sandbox-stand-ins.ts";
import type { SandboxOptions } from "../sandbox/sandbox-options.ts";
import { type Prepared, Sandbox } from "../sandbox/sandbox.ts";

export interface ShellsOptions {
  /** Folder of the project; an absolute path. */
  readonly root: string;
  /** Folder where the agent records what it runs, so that `reapOrphans` finds what it leaves behind. */
  readonly home: string;
  /** Folder for long outputs. Made when it is needed. */
  readonly outputFolder: string;
  /**
   * Environment of commands. Keys of models and search services are removed; in a sandbox only variables that are
   * known to be harmless are passed.
   */
  readonly env: Environment;
  /** Variables that every command gets. Default: none. */
  readonly addedEnv?: Environment;
  /** Names of keys of models and search services that commands outside a sandbox get. Default: none. */
  readonly passEnv?: readonly string[];
  /** Runs commands in a sandbox, with these options. Default: false. */
  readonly sandbox?: boolean | SandboxOptions;
  /** Options of the read-only sandbox, for commands that only read. Options of `sandbox` win. Default: none. */
  readonly reading?: Pick<SandboxOptions, "hidden" | "passEnv" | "program">;
  /** Limit of the output file of one command; the rest is dropped. Default: 1 GB. */
  readonly maxOutputBytes?: number;
  /** How many background jobs can run at a time. Default: 16. */
  readonly maxJobs?: number;
  /** How many processes one command can have at a time. Default: 2,000. */
  readonly maxProcesses?: number;
}

/** Where a command runs: as usual, or in the read-only sandbox with these files hidden. */
export interface CommandPlan {
  readonly cwd: string;
  readonly callId: string;
  readonly confinement: Confinement | undefined;
}

/** Whether shell commands that only read can run in the read-only sandbox. `unknown`: not tried yet. */
export type ReadConfinement =
  | { readonly type: "unknown" }
  | { readonly type: "ready" }
  | {
      readonly type: "unavailable";
      /** Why, for a person. */
      readonly why: string;
    };

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly run: Run;
  /** What BashOutput has shown already. */
  shownBytes: number;
  wasKilled: boolean;
  /** The model knows that it ended. */
  isEndKnown: boolean;
}

const MAX_OUTPUT_BYTES = 1_000_000_000;
const MAX_JOBS = 16;
const MAX_PROCESSES = 2_000;
/** Jobs that have ended are remembered up to this number; the files of older ones stay. */
const ENDED_JOBS = 64;
const NAME_CHARS = 60;

/** The kernel's times of change can be this much too early. */
const CLOCK_MS = 20;
/** A change is noticed much sooner. */
const REMEMBERED_MS = 600_000;

export class Shells {
  /** Of all commands, if they run in one. */
  readonly sandbox: Sandbox | undefined;
  /** Of those that are allowed because they only read. */
  readonly reading: Sandbox;
  readonly root: string;
  /** Where the last command ended. */
  latestCwd: string;
  readonly #options: ShellsOptions;
  readonly #ledger: Ledger;
  readonly #pipes: Pipes;
  readonly #watch: ProcessWatch;
  readonly #runs = new Set<Run>();
  readonly #jobs = new Map<string, Job>();
  readonly #asides = new WeakMap<Run, readonly string[]>();
  readonly #standIns: StandIns;
  /** When commands ran that could write, in the sandbox. */
  #sandboxed: { readonly startMs: number; endMs: number }[] = [];
  #readConfinement: ReadConfinement = { type: "unknown" };
  #checking: Promise<ReadConfinement> | undefined;
  #lastJob = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ShellsOptions) {
    const { root, home, outputFolder, env, sandbox = false, maxProcesses = MAX_PROCESSES } = options;
    this.#options = options;
    this.root = root;
    this.latestCwd = root;
    this.#ledger = new Ledger(home);
    this.#pipes = new Pipes(this.#ledger.folder);
    this.#watch = new ProcessWatch(maxProcesses);
    this.#standIns = new StandIns(this.#ledger.folder);
    const place = { root, stateFolder: this.#ledger.folder, outputFolder, env, standIns: this.#standIns };
    const { isOn, ...sandboxOptions } = sandboxOf(sandbox);
    this.sandbox = isOn ? new Sandbox(sandboxOptions, { ...place, profile: "workspace" }) : undefined;
    this.reading = new Sandbox({ ...options.reading, ...sandboxOptions }, { ...place, profile: "read-only" });
    process.on("exit", this.#onExit);
  }

  get maxOutputBytes(): number {
    return this.#options.maxOutputBytes ?? MAX_OUTPUT_BYTES;
  }

  get readConfinement(): ReadConfinement {
    return this.#readConfinement;
  }

  /** Starts the read-only sandbox once to see whether it works. */
  checkReadConfinement(): Promise<ReadConfinement> {
    this.#checking ??= this.#checkReadConfinement().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #checkReadConfinement(): Promise<ReadConfinement> {
    try {
      const why = await this.reading.unavailable();
      this.#readConfinement = why === undefined ? { type: "ready" } : { type: "unavailable", why };
    } catch (error) {
      this.#readConfinement = { type: "unavailable", why: messageOf(error) };
    }
    return this.#readConfinement;
  }

  /** A command says that it did not start: until that is looked up, nothing counts on it. */
  readConfinementFailed(): void {
    this.reading.forget();
    this.#readConfinement = { type: "unknown" };
    void this.checkReadConfinement();
  }

  /** Whether a command that can write to the workspace ran in the sandbox at this time. */
  wasSandboxedAt(atMs: number): boolean {
    return this.#sandboxed.some(({ startMs, endMs }) => atMs >= startMs - CLOCK_MS && atMs <= endMs);
  }

  #noteSandboxed(): () => void {
    const now = Date.now();
    const time = { startMs: now, endMs: Number.POSITIVE_INFINITY };
    this.#sandboxed = [...this.#sandboxed.filter(({ endMs }) => endMs > now - REMEMBERED_MS), time];
    return () => (time.endMs = Date.now());
  }

  /** In which of the two it would run; undefined where in none. */
  sandboxFor(confinement: Confinement | undefined): Sandbox | undefined {
    return confinement === undefined ? this.sandbox : this.reading;
  }

  /** Throws where it cannot be started; then nothing of it has run. */
  async start(command: string, plan: CommandPlan): Promise<Run> {
    if (this.#closing !== undefined) throw new Refusal("Not run: the agent is closing.");
    const { outputFolder } = this.#options;
    const sandbox = this.sandboxFor(plan.confinement);
    const unavailable = await sandbox?.unavailable();
    if (unavailable !== undefined)
      throw new Refusal(`Not run: the command was to run in a sandbox. ${unavailable}`);
    // Without the folder a long output loses its middle, and says so.
    makeFolder(outputFolder);
    this.#ledger.open();
    const prepared = await this.#prepare(plan);
    const isWriting = sandbox !== undefined && sandbox === this.sandbox;
    const noteEnd = isWriting ? this.#noteSandboxed() : () => {};
    try {
      const run = await startRun({
        command,
        wrapper: prepared.wrapper,
        cwd: plan.cwd,
        env: prepared.env,
        markName: MARK,
        mark: this.#ledger.nextMark(),
        pipe: await this.#pipeFor(prepared),
        descriptors: prepared.descriptors,
        endsTogether: prepared.endsTogether,
        outputPath: join(outputFolder, `${safeName(plan.callId)}-${randomUUID()}.out`),
        reportPath: join(this.#ledger.folder, `${randomUUID()}.report`),
        maxOutputBytes: this.maxOutputBytes,
      });
      this.#track(run, () => {
        noteEnd();
        return prepared.end();
      });
      return run;
    } catch (error) {
      noteEnd();
      prepared.end();
      throw error;
    }
  }

  async #prepare({ cwd, confinement }: CommandPlan): Promise<Prepared> {
    const { env, addedEnv = {}, passEnv } = this.#options;
    const sandbox = this.sandboxFor(confinement);
    if (sandbox === undefined)
      return {
        wrapper: [],
        env: { ...withoutOwnKeys(env, passEnv), ...addedEnv },
        descriptors: [],
        endsTogether: false,
        end: () => [],
      };
    return sandbox.prepare({ cwd, env, added: addedEnv, hidden: hiddenBy(confinement) });
  }

  async #pipeFor({ descriptors }: Prepared): Promise<Pipe> {
    try {
      return await this.#pipes.take();
    } catch (error) {
      for (const one of descriptors) closeSync(one);
      throw error;
    }
  }

  #track(run: Run, afterwards: () => string[]): void {
    this.#runs.add(run);
    this.#ledger.started(run.tree.pid, run.tree.start);
    this.#watch.watch(run);
    void run.ended.then(() => {
      this.#asides.set(run, afterwards());
      if (run.left.length === 0) this.#runs.delete(run);
    });
    // It was started while everything was being ended.
    if (this.#closing !== undefined) void run.stop();
  }

  /** What the sandbox refused to it, known once it has ended. */
  asideOf(run: Run): readonly string[] {
    return this.#asides.get(run) ?? [];
  }

  /** Undefined where too many run already. */
  keep(command: string, run: Run): Job | undefined {
    if (this.running().length >= (this.#options.maxJobs ?? MAX_JOBS)) return undefined;
    const job = {
      id: `bash_${++this.#lastJob}`,
      command,
      run,
      shownBytes: 0,
      wasKilled: false,
      isEndKnown: false,
    };
    this.#jobs.set(job.id, job);
    this.#forgetOld();
    return job;
  }

  /** Before a job is started, so that it is not started in vain. */
  checkRoom(): void {
    const running = this.running();
    if (running.length < (this.#options.maxJobs ?? MAX_JOBS)) return;
    const names = running.map(({ id }) => id).join(", ");
    throw new Refusal(
      `Not run: ${running.length} background jobs run already, which is the limit (${names}). End one with KillShell first.`,
    );
  }

  job(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const known = [...this.#jobs.keys()].slice(-10).join(", ");
    throw new Refusal(
      `There is no background job ${id}. ${known === "" ? "There is none." : `There are: ${known}.`}`,
    );
  }

  /** Jobs that ended since this was last asked, without those whose end the model has seen. */
  takeEnded(): Job[] {
    const ended = [...this.#jobs.values()].filter((job) => !job.isEndKnown && !isRunning(job));
    for (const job of ended) job.isEndKnown = true;
    return ended;
  }

  running(): Job[] {
    return [...this.#jobs.values()].filter(isRunning);
  }

  async kill(job: Job): Promise<boolean> {
    if (!isRunning(job)) return false;
    job.wasKilled = true;
    job.isEndKnown = true;
    const stubborn = await job.run.stop();
    this.#runs.delete(job.run);
    if (stubborn.length > 0)
      throw new Refusal(
        `${job.id} does not end: ${stubborn.map(({ pid }) => pid).join(", ")} cannot be killed.`,
      );
    return true;
  }

  /** Ends everything of ours, and comes back when it is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#runs].map((run) => run.stop()));
    await this.#checking;
    await this.sandbox?.close();
    await reap(() => this.#ledger.living());
    this.#standIns.releaseAll();
    this.#ledger.close();
    process.off("exit", this.#onExit);
  }

  /** The program ends without having closed us: there is no time to be polite (F07). */
  readonly #onExit = (): void => {
    for (const run of this.#runs) run.tree.kill();
    this.sandbox?.endNow();
    this.#standIns.releaseAll();
    this.#ledger.close();
  };

  #forgetOld(): void {
    const ended = [...this.#jobs.values()].filter((job) => !isRunning(job));
    for (const { id } of ended.slice(0, Math.max(0, ended.length - ENDED_JOBS))) this.#jobs.delete(id);
  }
}

function sandboxOf(sandbox: boolean | SandboxOptions): SandboxOptions & { readonly isOn: boolean } {
  return typeof sandbox === "boolean" ? { isOn: sandbox } : { isOn: true, ...sandbox };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // The output says what is missing.
  }
}

/** Listed when the command starts: a list that cannot be made hides nothing, so the command is not run. */
function hiddenBy(confinement: Confinement | undefined): readonly string[] {
  try {
    return confinement?.hidden() ?? [];
  } catch (error) {
    throw new Refusal(
      `Not run: the files that the rules hide from this command could not be listed (${messageOf(error)}).`,
    );
  }
}

/** Also while something that its shell left behind goes on. */
export function isRunning({ run }: Job): boolean {
  if (run.ending === undefined) return true;
  return run.left.length > 0 && run.tree.members().length > 0;
}

function safeName(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, NAME_CHARS) || "call";
}
