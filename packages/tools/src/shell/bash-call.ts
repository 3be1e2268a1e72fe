/** One call of the Bash tool: judges the command again, runs it, and says how it ended. */

import { stat, unlink } from "node:fs/promises";
import type { CallContext } from "@runahead/engine";
import { checkClaims, mayMove, placesOf } from "./bash-claims.ts";
import { answerOf } from "./bash-exit.ts";
import type { BashInput } from "./bash-input.ts";
import { limitOf } from "./bash-limits.ts";
import { endsAgent, thisProcess } from "./bash-refuse.ts";
import { CommandFailed, lockLeftBehind, processList, showOutput, whereIs } from "./bash-result.ts";
import { type Moved, isMoved } from "./foreground.ts";
import { Live } from "./process-live.ts";
import type { Ended, Folder, Run } from "./process-run.ts";
import type { Shells } from "./shells.ts";
import type { Confinement } from "@runahead/permissions";
import { clearanceNow, clearanceOf } from "@runahead/permissions/internal";
import type { ProcessInfo } from "@runahead/base";
import { type Touched, noteFailure, refuseAfterFailure } from "../shared/failed-commands.ts";
import { Refusal, codeOf } from "../shared/refusal.ts";
import { explainDenial } from "../sandbox/sandbox-explain.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** Output of the Bash tool: a finished command or a background job. */
export type BashResult =
  | {
      readonly type: "finished";
      /** Its output, shortened if it is long, and notes. */
      readonly text: string;
      /** Its exit code. */
      readonly exitCode: number;
      /** Working directory of the next command. */
      readonly cwd: string;
      /** File with the full output; undefined if `text` is all of it. */
      readonly outputPath: string | undefined;
      /** Whether it ran in the sandbox. */
      readonly isSandboxed: boolean;
    }
  | {
      readonly type: "background";
      /** The text for the model: the id and how to read the output. */
      readonly text: string;
      /** Id of the job, for BashOutput and KillShell. */
      readonly id: string;
      /** File that the output is written to. */
      readonly outputPath: string;
    };

type Moving = Pick<CallContext, "cwd" | "change">;

/** Throws if the command cannot be started now. */
export async function checkStart(shells: Shells, input: BashInput, context: Moving): Promise<void> {
  const { command, run_in_background = false } = input;
  await checkFolder(shells, context);
  const { cwd } = context;
  const sandbox = shells.sandboxFor({ command, cwd, confinement: clearanceOf(input)?.confinement });
  const refused = sandbox === undefined ? endsAgent(command, cwd, thisProcess()) : undefined;
  if (refused !== undefined) throw new Refusal(refused);
  if (run_in_background) shells.jobs.checkRoom();
}

/** If the working directory is gone, the command is refused rather than run in another one (F14). */
async function checkFolder(shells: Shells, context: Moving): Promise<void> {
  const { cwd } = context;
  if (await isFolder(cwd)) return;
  const root = shells.rootAt(cwd);
  if (!(await isFolder(root)))
    throw new Refusal(
      `Not run: the working directory ${cwd} and the project directory ${root} no longer exist.`,
    );
  moveTo(shells, context, root);
  throw new Refusal(
    `Not run: the working directory ${cwd} no longer exists, so it was reset to ${root}. Call again to run the command there.`,
  );
}

function moveTo(shells: Shells, { change }: Moving, cwd: string): void {
  shells.latestCwd = cwd;
  change((context) => ({ ...context, cwd }));
}

/** Judges the command again right before it runs. Throws if it is no longer allowed. */
function confinementNow(input: BashInput): Confinement | undefined {
  const now = clearanceNow(input);
  if (now === undefined || now.behavior === "allow") return now?.confinement;
  throw new Refusal(
    `Not run: files changed since this command was allowed, and now it needs permission again. ${now.reason ?? ""} Call again to request it.`,
  );
}

export class BashCall {
  readonly #shells: Shells;
  readonly #input: BashInput;
  readonly #context: CallContext;
  /** Set if the command was allowed only because it can do nothing but read. */
  #confinement: Confinement | undefined;
  readonly #startedAtMs = Date.now();
  /** The command can change the folder of the context. */
  readonly #startCwd: string;

  constructor(shells: Shells, input: BashInput, context: CallContext) {
    this.#startCwd = context.cwd;
    this.#shells = shells;
    this.#input = input;
    this.#context = context;
  }

  get #sandbox(): Sandbox | undefined {
    const { command } = this.#input;
    return this.#shells.sandboxFor({ command, cwd: this.#startCwd, confinement: this.#confinement });
  }

  /** @param needs What must not have failed before; undefined for a command that only reads. */
  async run(needs: Touched | undefined): Promise<BashResult> {
    try {
      if (needs !== undefined) refuseAfterFailure(this.#context.permissions, needs);
      return await this.#run();
    } catch (error) {
      const places = placesOf(this.#input);
      if (places !== undefined && places.writes.length > 0) noteFailure(this.#context.permissions, places);
      throw error;
    }
  }

  async #run(): Promise<BashResult> {
    const { run_in_background = false } = this.#input;
    const { signal } = this.#context;
    this.#confinement = confinementNow(this.#input);
    checkClaims(this.#input, { cwd: this.#context.cwd, home: this.#shells.userHome });
    await checkStart(this.#shells, this.#input, this.#context);
    if (signal.aborted) throw new Refusal("Not run: the call was stopped before the command started.");
    const inTerminal =
      run_in_background || this.#sandbox !== undefined ? undefined : await this.#inTerminal();
    if (inTerminal !== undefined) return inTerminal;
    const run = await this.#start();
    return run_in_background ? this.#background(run) : this.#foreground(run);
  }

  /** Undefined if the client has no terminals, or none could be opened. */
  async #inTerminal(): Promise<BashResult | undefined> {
    const { cwd, callId, signal, progress } = this.#context;
    const { command } = this.#input;
    const plan = { cwd, callId, confinement: undefined };
    const limitMs = limitOf(this.#input, this.#shells.limits);
    const found = await this.#shells.inTerminal(command, plan, { limitMs, signal });
    if (found === undefined) return undefined;
    this.#note();
    const { ended, text, folder } = found;
    if (ended.type === "stopped") {
      if (text !== "") progress({ type: "output", content: text });
      throw new CommandFailed("The command was stopped.");
    }
    const { path, note } = await this.#cwdAfter(folder);
    const code = ended.type === "exited" ? ended.code : undefined;
    const answer = code === undefined ? undefined : answerOf(command, code, text);
    const explained = answer === undefined ? undefined : `(Exit code ${code}: ${answer}.)`;
    const words = (head?: string): string =>
      [head, text, explained, note].filter((part) => part !== undefined && part !== "").join("\n");
    if (ended.type === "timed-out") throw new CommandFailed(words(`Stopped after ${limitMs / 1_000} s.`));
    if (code !== 0 && answer === undefined) throw new CommandFailed(words(headOf(ended, {})));
    return {
      type: "finished",
      text: words(),
      exitCode: code ?? 0,
      cwd: path,
      outputPath: undefined,
      isSandboxed: false,
    };
  }

  async #start(): Promise<Run> {
    const { cwd, callId } = this.#context;
    try {
      return await this.#shells.start(this.#input.command, {
        cwd,
        callId,
        confinement: this.#confinement,
      });
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // Too many open files or processes, no memory or no space: a problem of the machine rather than a bug (F12).
      const advice = codeOf(error) === "ENOSPC" ? "Free some space on the disk" : "Try again later";
      throw new Refusal(
        `Not run: the command could not be started (${(error as Error).message}). ${advice}.`,
      );
    }
  }

  #background(run: Run): BashResult {
    const { command } = this.#input;
    const job = this.#shells.jobs.keep(command, run);
    if (job === undefined) {
      void run.stop();
      throw new CommandFailed(
        "Started and stopped at once: the limit of background jobs is reached. End one with KillShell first.",
      );
    }
    const { path } = run.output;
    const text = `Running in the background as ${job.id}. You are notified when it ends. Read new output with BashOutput (the full output is in ${path}); end the job with KillShell.`;
    return { type: "background", text, id: job.id, outputPath: path };
  }

  async #foreground(run: Run): Promise<BashResult> {
    const { signal, progress, callId } = this.#context;
    const limitMs = this.#shells.keepsSlow ? limitOf(this.#input, this.#shells.limits) : undefined;
    const waiting = this.#shells.foreground.enter({ callId, command: this.#input.command, limitMs });
    const live = new Live((content) => progress({ type: "output", content }));
    run.output.onPiece = (piece) => live.add(piece);
    const stopping = new Promise<readonly ProcessInfo[]>((resolve) => {
      const stop = (): void => resolve(run.stop());
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    const ended = await Promise.race([run.ended, stopping, waiting.moved]);
    waiting.leave();
    this.#note();
    // The shell can end before its child processes.
    if (signal.aborted) return this.#stopped(run, live, await stopping);
    run.output.onPiece = undefined;
    live.flush();
    return isMoved(ended) ? this.#moved(run, ended) : this.#finished(run, ended as Ended);
  }

  /** A command in the read-only sandbox changes nothing. */
  #note(): void {
    const { agent } = this.#context.context;
    const writes = placesOf(this.#input)?.writes;
    if (this.#confinement !== undefined || writes?.length === 0) return;
    this.#shells.noteCommand({ agent, startedAtMs: this.#startedAtMs, endedAtMs: Date.now(), writes });
  }

  /** The command goes on as a job; the call returns with what it has printed so far. */
  async #moved(run: Run, { reason }: Moved): Promise<BashResult> {
    // It can have ended while the output was written.
    if (run.ending !== undefined) return this.#finished(run, run.ending);
    const { command } = this.#input;
    const job = this.#shells.jobs.keep(command, run);
    if (job === undefined) {
      await run.stop();
      const { text } = await showOutput(run.output, this.#shells.limits);
      throw new CommandFailed(
        [`Stopped: ${WHY_MOVED[reason]}, and the limit of background jobs is reached.`, text]
          .join("\n")
          .trim(),
      );
    }
    const { path, bytes } = run.output;
    job.shownBytes = bytes;
    await run.output.flush();
    const { text } = await showOutput(run.output, this.#shells.limits);
    const head = `Still running, now in the background as ${job.id}: ${WHY_MOVED[reason]}. You are notified when it ends. Read new output with BashOutput (the full output is in ${path}); end the job with KillShell.`;
    const said = text === "" ? head : `${head}\nOutput so far:\n${text}`;
    return { type: "background", text: said, id: job.id, outputPath: path };
  }

  /** The engine reports the output of a stopped call, so notes are added to the output. */
  async #stopped(run: Run, live: Live, stubborn: readonly ProcessInfo[]): Promise<never> {
    run.output.onPiece = undefined;
    live.flush();
    const { path, bytes } = run.output;
    const notes = [
      await lockLeftBehind(this.#context.cwd, this.#startedAtMs),
      stubborn.length > 0 ? `(Still running, cannot be killed: ${processList(stubborn)})` : undefined,
      bytes > 0 ? `(${whereIs(run.output)})` : undefined,
    ].filter((note) => note !== undefined);
    if (bytes === 0) await unlink(path).catch(() => {});
    if (notes.length > 0) this.#context.progress({ type: "output", content: `\n${notes.join("\n")}` });
    throw new CommandFailed("The command was stopped.");
  }

  async #finished(run: Run, ended: Ended): Promise<BashResult> {
    const { output } = run;
    // The model can read the output file as soon as it has the result.
    await output.flush();
    const { text, isWhole } = await showOutput(output, this.#shells.limits);
    if (!run.hasBegun) throw await this.#notBegun(run, text);
    const cwd = await this.#cwdAfter(run.folder);
    const left = await this.#leftBehind(run);
    const code = ended.type === "exited" ? ended.code : undefined;
    const answer = code === undefined ? undefined : answerOf(this.#input.command, code, text);
    const isFailure = code !== 0 && answer === undefined;
    const notes = [
      answer === undefined ? undefined : `(Exit code ${code}: ${answer}.)`,
      ...this.#sandboxNotes(run, code === 0 ? "" : text),
      left,
      cwd.note,
    ];
    const outputPath = isWhole && left === undefined ? undefined : output.path;
    if (outputPath === undefined) await this.#forget(run);
    const head = isFailure ? headOf(ended, run) : undefined;
    const words = [head, text, ...notes].filter((part) => part !== undefined && part !== "").join("\n");
    if (isFailure) throw new CommandFailed(words);
    const isSandboxed = this.#sandbox !== undefined;
    return { type: "finished", text: words, exitCode: code ?? 0, cwd: cwd.path, outputPath, isSandboxed };
  }

  /** The sandbox failed to start, so nothing was run; the command is never run without it (F17). */
  async #notBegun(run: Run, text: string): Promise<Refusal> {
    await this.#forget(run);
    if (this.#confinement !== undefined) this.#shells.readConfinementFailed();
    return new Refusal(
      `Not run: ${this.#sandbox === undefined ? "the shell" : "the sandbox"} could not be started. ${text}`,
    );
  }

  async #forget({ output }: Run): Promise<void> {
    await output.close();
    await unlink(output.path).catch(() => {});
  }

  #sandboxNotes(run: Run, complaints: string): (string | undefined)[] {
    const sandbox = this.#sandbox;
    if (sandbox === undefined) return [];
    return [explainDenial(complaints, sandbox), ...this.#shells.asideOf(run)];
  }

  async #cwdAfter(folder: Folder): Promise<{ path: string; note: string | undefined }> {
    const { cwd } = this.#context;
    const root = this.#shells.rootAt(cwd);
    // A program in a read-only command could forge the report, so it counts only if the command has a `cd`.
    if (this.#confinement !== undefined && !mayMove(this.#input)) return { path: cwd, note: undefined };
    const wanted = folder.type === "path" ? folder.path : cwd;
    const isThere = folder.type !== "gone" && (await isFolder(wanted));
    const path = isThere ? (this.#shells.keepsFolder ? cwd : wanted) : root;
    if (path !== cwd) moveTo(this.#shells, this.#context, path);
    if (!isThere) return { path, note: `(The working directory no longer exists and was reset to ${root}.)` };
    return { path, note: path === cwd ? undefined : `(The working directory is now ${path}.)` };
  }

  /** Processes that the shell left running become a background job, if the limit allows it (F01). */
  async #leftBehind(run: Run): Promise<string | undefined> {
    // Some may have ended since; a job that is over is of no use to the model.
    if (run.left.length === 0 || run.tree.members().length === 0) return undefined;
    const names = processList(run.left);
    const job = this.#shells.jobs.keep(this.#input.command, run);
    if (job === undefined) {
      await run.stop();
      return `(Processes that it left running were ended because the limit of background jobs is reached: ${names}.)`;
    }
    job.shownBytes = run.output.bytes;
    return `(It left processes running as background job ${job.id}: ${names}.)`;
  }
}

const WHY_MOVED: Readonly<Record<Moved["reason"], string>> = {
  user: "the user moved it there",
  limit: "it reached its time limit",
};

function headOf(ended: Ended, { limitReached }: Partial<Pick<Run, "limitReached">>): string {
  if (limitReached !== undefined) return limitReached;
  if (ended.type === "exited") return `Exit code ${ended.code}`;
  const why = ended.signal === "SIGKILL" ? ", possibly because the system ran out of memory" : "";
  return `Killed by ${ended.signal}${why}`;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
