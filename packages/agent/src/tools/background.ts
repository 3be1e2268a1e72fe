/** The commands of one agent: those that calls wait for, and the jobs that go on behind them. None outlives `close`. */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Ledger, MARK, reap } from "./background-ledger.ts";
import { Pipes } from "./process-pipe.ts";
import { type Run, startRun } from "./process-run.ts";
import { ProcessWatch } from "./process-watch.ts";
import { Refusal } from "./refusal.ts";
import type { NetworkProxy } from "./sandbox-network-proxy.ts";
import { Sandbox, type SandboxOptions } from "./sandbox.ts";

export interface ShellsOptions {
  /** The project's folder. */
  readonly root: string;
  /** Where this agent keeps a record of what it runs. */
  readonly home: string;
  /** Where long outputs are kept; made when it is needed. */
  readonly outputFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandbox?: boolean | SandboxOptions;
  /** Of the file of one command: 1 GB where absent. What comes after is read and dropped. */
  readonly maxOutputBytes?: number;
  /** Background jobs that may run at a time: 16 where absent. */
  readonly maxJobs?: number;
  /** Processes that one command may have at a time: 2,000 where absent. */
  readonly maxProcesses?: number;
}

export interface Job {
  readonly id: string;
  readonly command: string;
  readonly run: Run;
  /** What BashOutput has shown already. */
  shownBytes: number;
  wasKilled: boolean;
}

const MAX_OUTPUT_BYTES = 1_000_000_000;
const MAX_JOBS = 16;
const MAX_PROCESSES = 2_000;
/** Jobs that have ended are remembered up to this number; the files of older ones stay. */
const ENDED_JOBS = 64;
const NAME_CHARS = 60;

export class Shells {
  readonly sandbox: Sandbox | undefined;
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
  readonly #proxies = new Set<NetworkProxy>();
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
    const place = { root, stateFolder: this.#ledger.folder, outputFolder, env };
    this.sandbox = sandbox === false ? undefined : new Sandbox(sandbox === true ? {} : sandbox, place);
    process.on("exit", this.#onExit);
  }

  get maxOutputBytes(): number {
    return this.#options.maxOutputBytes ?? MAX_OUTPUT_BYTES;
  }

  /** Throws where it cannot be started; then nothing of it has run. */
  async start(command: string, { cwd, callId }: { cwd: string; callId: string }): Promise<Run> {
    if (this.#closing !== undefined) throw new Refusal("Not run: the agent is closing.");
    const { env, outputFolder } = this.#options;
    const { sandbox } = this;
    const unavailable = await sandbox?.unavailable();
    if (unavailable !== undefined)
      throw new Refusal(`Not run: the command was to run in a sandbox. ${unavailable}`);
    // Without the folder a long output loses its middle, and says so.
    await mkdir(outputFolder, { recursive: true, mode: 0o700 }).catch(() => {});
    this.#ledger.open();
    const putAside = sandbox?.watchMissing();
    const proxy = await sandbox?.openNetwork();
    if (proxy !== undefined) this.#proxies.add(proxy);
    try {
      const run = await startRun({
        command,
        shell: SHELL,
        wrapper: sandbox?.wrapper(cwd, proxy) ?? [],
        cwd,
        env: sandbox?.environment(env) ?? env,
        markName: MARK,
        mark: this.#ledger.nextMark(),
        pipe: await this.#pipes.take(),
        outputPath: join(outputFolder, `${safeName(callId)}-${randomUUID()}.out`),
        reportPath: join(this.#ledger.folder, `${randomUUID()}.report`),
        maxOutputBytes: this.maxOutputBytes,
      });
      this.#track(run, () => [
        ...(putAside?.() ?? []),
        ...(proxy === undefined ? [] : (sandbox?.networkNotes(proxy) ?? [])),
      ]);
      void run.ended.then(() => this.#closeProxy(proxy));
      return run;
    } catch (error) {
      await this.#closeProxy(proxy);
      throw error;
    }
  }

  async #closeProxy(proxy: NetworkProxy | undefined): Promise<void> {
    await proxy?.close();
    if (proxy !== undefined) this.#proxies.delete(proxy);
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

  /** What the sandbox put aside after it and refused to it, told once it has ended. */
  asideOf(run: Run): readonly string[] {
    return this.#asides.get(run) ?? [];
  }

  /** Undefined where too many run already. */
  keep(command: string, run: Run): Job | undefined {
    if (this.running().length >= (this.#options.maxJobs ?? MAX_JOBS)) return undefined;
    const job = { id: `bash_${++this.#lastJob}`, command, run, shownBytes: 0, wasKilled: false };
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

  running(): Job[] {
    return [...this.#jobs.values()].filter(isRunning);
  }

  async kill(job: Job): Promise<boolean> {
    if (!isRunning(job)) return false;
    job.wasKilled = true;
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
    await Promise.all([...this.#proxies].map((proxy) => proxy.close()));
    await reap(() => this.#ledger.living());
    this.#ledger.close();
    process.off("exit", this.#onExit);
  }

  /** The program ends without having closed us: there is no time to be polite (F07). */
  readonly #onExit = (): void => {
    for (const run of this.#runs) run.tree.kill();
    this.#ledger.close();
  };

  #forgetOld(): void {
    const ended = [...this.#jobs.values()].filter((job) => !isRunning(job));
    for (const { id } of ended.slice(0, Math.max(0, ended.length - ENDED_JOBS))) this.#jobs.delete(id);
  }
}

const SHELL = existsSync("/bin/bash") || existsSync("/usr/bin/bash") ? "bash" : "sh";

/** Also while something that its shell left behind goes on. */
export function isRunning({ run }: Job): boolean {
  if (run.ending === undefined) return true;
  return run.left.length > 0 && run.tree.members().length > 0;
}

function safeName(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, NAME_CHARS) || "call";
}
