/** The running commands of one agent: foreground commands and background jobs. None outlives `close`. */

import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type BackgroundTask, isWithin, messageOf, withoutOwnKeys } from "@runahead/base";
import type { Confinement } from "@runahead/permissions";
import { type BashLimits, bashLimits } from "./bash-limits.ts";
import { Ledger, MARK, reap } from "./background-ledger.ts";
import { Foreground, type MovedCommand } from "./foreground.ts";
import { type CommandPlan, type Job, type ReadConfinement, isRunning } from "./job.ts";
import { JobNumbers } from "./job-numbers.ts";
import { Jobs } from "./jobs.ts";
import { nextWeight, ownGroup } from "./process-lineage.ts";
import { type Pipe, Pipes } from "./process-pipe.ts";
import { type Run, startRun } from "./process-run.ts";
import { type TerminalEnd, runInTerminal } from "./terminal.ts";
import { FOR_AGENTS, type ShellsOptions } from "./shells-options.ts";
import { ProcessWatch } from "./process-watch.ts";
import { Refusal } from "../shared/refusal.ts";
import type { EndedCommand } from "../files/change-log.ts";
import { StandIns } from "../sandbox/sandbox-stand-ins.ts";
import type { SandboxOptions } from "../sandbox/sandbox-options.ts";
import type { Prepared, Sandbox } from "../sandbox/sandbox.ts";
import { Sandboxes } from "../sandbox/sandboxes.ts";

const MAX_OUTPUT_BYTES = 1_000_000_000;
const MAX_PROCESSES = 2_000;
const NAME_CHARS = 60;

/** File times of the kernel can be early by this much. */
const CLOCK_MS = 20;
/** Changes are noticed much sooner than this. */
const REMEMBERED_MS = 600_000;

export class Shells {
  /** The sandbox of all commands, if it is on. */
  readonly sandbox: Sandbox | undefined;
  /** The sandbox of commands that are allowed because they only read. */
  readonly reading: Sandbox;
  readonly root: string;
  /** Finds background work that is not a command, by its id. */
  otherTask: (id: string) => BackgroundTask | undefined = () => undefined;
  /** Working directory at the end of the last command. */
  latestCwd: string;
  readonly #writing: Sandboxes | undefined;
  readonly #reading: Sandboxes;
  readonly #options: ShellsOptions;
  readonly #ledger: Ledger;
  readonly #pipes: Pipes;
  readonly #watch: ProcessWatch;
  readonly #runs = new Set<Run>();
  readonly #asides = new WeakMap<Run, readonly string[]>();
  readonly #standIns: StandIns;
  /** The commands that go on in the background. */
  readonly jobs: Jobs;
  /** The commands whose calls wait for them. */
  readonly foreground = new Foreground();
  /** When commands ran that could write, in the sandbox. */
  #sandboxed: { readonly startMs: number; endMs: number }[] = [];
  #readConfinement: ReadConfinement = { type: "unknown" };
  #checking: Promise<ReadConfinement> | undefined;
  #closing: Promise<void> | undefined;

  readonly limits: BashLimits;
  /** Whether `cd` has no effect on later commands. */
  readonly keepsFolder: boolean;

  constructor(options: ShellsOptions) {
    this.limits = bashLimits(options);
    this.keepsFolder = options.keepsFolder === true;
    const { root, home, outputFolder, env, sandbox = false, maxProcesses = MAX_PROCESSES } = options;
    this.#options = options;
    this.root = root;
    this.latestCwd = root;
    this.#ledger = new Ledger(home);
    this.#pipes = new Pipes(this.#ledger.folder);
    this.jobs = new Jobs(new JobNumbers(outputFolder), options.maxJobs);
    this.#watch = new ProcessWatch(maxProcesses);
    this.#standIns = new StandIns(this.#ledger.folder);
    const place = {
      root,
      home,
      stateFolder: this.#ledger.folder,
      outputFolder,
      env,
      standIns: this.#standIns,
    };
    const { isOn, ...sandboxOptions } = sandboxOf(sandbox);
    const { worktrees = () => [] } = options;
    const writing = { options: sandboxOptions, place: { ...place, profile: "workspace" } as const };
    this.#writing = isOn ? new Sandboxes(writing, worktrees) : undefined;
    const reading = { ...options.reading, ...sandboxOptions };
    this.#reading = new Sandboxes({ options: reading, place: { ...place, profile: "read-only" } }, worktrees);
    this.sandbox = this.#writing?.main;
    this.reading = this.#reading.main;
    process.on("exit", this.#onExit);
  }

  /** The folder that commands return to if their own is gone: the worktree that it was in, or the project. */
  rootAt(cwd: string): string {
    const { worktrees = () => [] } = this.#options;
    return worktrees().find((path) => isWithin(cwd, path)) ?? this.root;
  }

  /** What `~` means in a command. */
  get userHome(): string {
    const { env, addedEnv = {} } = this.#options;
    return addedEnv["HOME"] ?? env["HOME"] ?? homedir();
  }

  /** Reports a command that could write. */
  noteCommand(command: EndedCommand): void {
    this.#options.onCommand?.(command);
  }

  /** Whether a command that reaches its time limit goes on in the background. */
  get keepsSlow(): boolean {
    return this.#options.timeoutAction === "background";
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

  /** Call when the read-only sandbox failed to start: its state is unknown until it is checked again. */
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

  /** Returns the sandbox that a command would run in; undefined for none. */
  sandboxFor({ command, cwd, confinement }: Placed): Sandbox | undefined {
    if (confinement !== undefined) return this.#reading.at(cwd);
    return this.isOutside(command, cwd) ? undefined : this.#writing?.at(cwd);
  }

  /** Whether the settings let this command run without the sandbox. */
  isOutside(command: string, cwd: string): boolean {
    return this.#options.runsOutside?.(command, cwd) === true;
  }

  /** Throws if the command cannot be started; then nothing of it has run. */
  async start(command: string, plan: CommandPlan): Promise<Run> {
    if (this.#closing !== undefined) throw new Refusal("Not run: the agent is closing.");
    const { outputFolder } = this.#options;
    const sandbox = this.sandboxFor({ command, ...plan });
    const unavailable = await sandbox?.unavailable();
    if (unavailable !== undefined)
      throw new Refusal(
        `Not run: commands must run in a sandbox here, and it is not available. ${unavailable}`,
      );
    // Without the folder a long output loses its middle, which its text then says.
    makeFolder(outputFolder);
    this.#ledger.open();
    const record = this.#ledger.reserve();
    const prepared = await this.#prepare(plan, sandbox);
    const isWriting = sandbox?.profile === "workspace";
    const lineage = { weight: nextWeight(), group: ownGroup() };
    const noteEnd = isWriting ? this.#noteSandboxed() : () => {};
    try {
      const run = await startRun({
        command,
        wrapper: prepared.wrapper,
        cwd: plan.cwd,
        env: prepared.env,
        markName: MARK,
        mark: this.#ledger.nextMark(),
        lineage,
        pipe: await this.#pipeFor(prepared),
        descriptors: prepared.descriptors,
        endsTogether: prepared.endsTogether,
        outputPath: join(outputFolder, `${safeName(plan.callId)}-${randomUUID()}.out`),
        reportPath: join(this.#ledger.folder, `${randomUUID()}.report`),
        maxOutputBytes: this.maxOutputBytes,
      });
      record(run.tree.pid, run.tree.start, lineage);
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

  /** Runs a command in a terminal of the client; undefined if there are none. */
  async inTerminal(
    command: string,
    { cwd, callId }: CommandPlan,
    { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
  ): Promise<TerminalEnd | undefined> {
    const { terminals, env, addedEnv = {}, passEnv } = this.#options;
    if (terminals === undefined || this.#closing !== undefined) return undefined;
    this.#ledger.open();
    return runInTerminal(terminals, {
      command,
      cwd,
      callId,
      env,
      added: { ...FOR_AGENTS, ...addedEnv },
      passEnv,
      mark: [MARK, this.#ledger.nextMark()],
      folder: this.#ledger.folder,
      limitMs,
      signal,
    });
  }

  async #prepare({ cwd, confinement }: CommandPlan, sandbox: Sandbox | undefined): Promise<Prepared> {
    const { env, addedEnv = {}, passEnv } = this.#options;
    const added = { ...FOR_AGENTS, ...addedEnv };
    if (sandbox === undefined)
      return {
        wrapper: [],
        env: { ...withoutOwnKeys(env, passEnv), ...added },
        descriptors: [],
        endsTogether: false,
        end: () => [],
      };
    return sandbox.prepare({ cwd, env, added, hidden: hiddenBy(confinement) });
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
    this.#watch.watch(run);
    void run.ended.then(() => {
      this.#asides.set(run, afterwards());
      if (run.left.length === 0) this.#runs.delete(run);
    });
    // It was started during `close`.
    if (this.#closing !== undefined) void run.stop();
  }

  /** Notes of the sandbox about a command, available once it has ended. */
  asideOf(run: Run): readonly string[] {
    return this.#asides.get(run) ?? [];
  }

  /** Lets a foreground command go on in the background. Its call becomes the job when it notices. */
  moveToBackground(callId: string): MovedCommand {
    if (!this.jobs.hasRoom) return { type: "refused", reason: "the limit of background jobs is reached" };
    if (this.foreground.move(callId)) return { type: "moved", callId };
    return { type: "refused", reason: "the command is not running" };
  }

  async kill(job: Job): Promise<boolean> {
    if (!isRunning(job)) return false;
    job.wasKilled = true;
    job.isEndKnown = true;
    const stubborn = await job.run.stop();
    this.#runs.delete(job.run);
    if (stubborn.length > 0)
      throw new Refusal(
        `${job.id} could not be ended: the processes ${stubborn.map(({ pid }) => pid).join(", ")} cannot be killed.`,
      );
    return true;
  }

  /** Ends all processes. Resolves when they are gone. */
  close(): Promise<void> {
    this.jobs.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#runs].map((run) => run.stop()));
    await this.#checking;
    await this.#writing?.close();
    await reap(() => this.#ledger.living());
    this.#standIns.releaseAll();
    this.#ledger.close();
    process.off("exit", this.#onExit);
  }

  /** The program exits without `close`, so processes are killed at once (F07). */
  readonly #onExit = (): void => {
    for (const run of this.#runs) run.tree.kill();
    this.#writing?.endNow();
    this.#standIns.releaseAll();
    this.#ledger.close();
  };
}

/** A command and where it would run. */
interface Placed {
  readonly command: string;
  readonly cwd: string;
  /** Set if it was allowed only because it reads. */
  readonly confinement: Confinement | undefined;
}

function sandboxOf(sandbox: boolean | SandboxOptions): SandboxOptions & { readonly isOn: boolean } {
  return typeof sandbox === "boolean" ? { isOn: sandbox } : { isOn: true, ...sandbox };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // The text of a long output says what is missing.
  }
}

/** Lists the hidden files when the command starts. Without the list nothing would be hidden, so the command is refused. */
function hiddenBy(confinement: Confinement | undefined): readonly string[] {
  try {
    return confinement?.hidden() ?? [];
  } catch (error) {
    throw new Refusal(
      `Not run: cannot list the files that permission rules hide from this command (${messageOf(error)}).`,
    );
  }
}

function safeName(callId: string): string {
  return callId.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, NAME_CHARS) || "call";
}
