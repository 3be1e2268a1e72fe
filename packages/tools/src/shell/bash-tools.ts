/** Makes the shell tools of one agent, which share its background jobs. */

import {
  type BackgroundTasks,
  type Check,
  checkOptions,
  aBoolean,
  aFunction,
  aNumberFromZero,
  aPositiveNumber,
  aString,
  anObject,
  oneOf,
  strings,
  either,
} from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import { killShellTool } from "./background-kill.ts";
import { type EndedJob, bashOutputTool, endedJob } from "./background-output.ts";
import { backgroundTasks } from "./background-tasks.ts";
import { Shells } from "./shells.ts";
import type { ReadConfinement } from "./job.ts";
import { type IsReadOnlyCommand, bashTool } from "./bash.ts";
import type { ForegroundCommand, MovedCommand } from "./foreground.ts";
import type { ShellsOptions } from "./shells-options.ts";
import { SHELL_NAME } from "./shell-program.ts";

/** Options of `shellTools`. `root`, `home`, `outputFolder` and `env` are required. */
export interface ShellToolsOptions extends ShellsOptions {
  /** Returns whether a command only reads, so that it can run in parallel with other reads. Default: none does. */
  readonly isReadOnlyCommand?: IsReadOnlyCommand;
}

const OPTION_KINDS: Readonly<Record<keyof ShellToolsOptions, Check>> = {
  root: aString,
  home: aString,
  outputFolder: aString,
  env: anObject,
  addedEnv: anObject,
  passEnv: strings,
  sandbox: either(aBoolean, anObject),
  runsOutside: aFunction,
  worktrees: aFunction,
  reading: anObject,
  maxOutputBytes: aNumberFromZero,
  maxJobs: aNumberFromZero,
  maxProcesses: aNumberFromZero,
  defaultTimeoutMs: aPositiveNumber,
  maxTimeoutMs: aPositiveNumber,
  maxShownChars: aPositiveNumber,
  keepsFolder: aBoolean,
  timeoutAction: oneOf("kill", "background"),
  onCommand: aFunction,
  terminals: anObject,
  isReadOnlyCommand: aFunction,
};

const REQUIRED = ["root", "home", "outputFolder", "env"] as const;

/** The shell tools of one agent. */
export interface ShellTools {
  /** Bash, BashOutput and KillShell. */
  readonly tools: readonly AnyTool[];
  /** The shell that runs commands: `bash`, or `sh` if there is no bash. */
  readonly shellName: string;
  /** Whether commands run in a sandbox. If the sandbox cannot start, commands are refused. */
  readonly isSandboxed: boolean;
  /** Starts the sandbox once. Resolves with why it cannot start here; undefined if it can, or if it is off. */
  readonly checkSandbox: () => Promise<string | undefined>;
  /** Returns whether commands that only read can run in the read-only sandbox, as far as is known yet. */
  readonly readConfinement: () => ReadConfinement;
  /** Starts the read-only sandbox once to check that it works, which takes some milliseconds. Never rejects. */
  readonly checkReadConfinement: () => Promise<ReadConfinement>;
  /** Returns whether a command that can write ran in the sandbox at this time, in milliseconds since 1970. */
  readonly wasSandboxedAt: (atMs: number) => boolean;
  /** Resolves with the background jobs that ended since the last call, except those whose end the model has seen. */
  readonly takeEndedJobs: () => Promise<readonly EndedJob[]>;
  /** Returns the commands whose calls wait for them. */
  readonly foregroundCommands: () => readonly ForegroundCommand[];
  /** Lets a running command go on in the background; its call returns at once with the id of the job. */
  readonly moveToBackground: (callId: string) => MovedCommand;
  /** The background jobs, for TaskOutput and TaskStop and to wake an agent when one ends. */
  readonly background: BackgroundTasks;
  /** Ends all processes that were started. Resolves when they are gone. */
  readonly close: () => Promise<void>;
}

/**
 * Makes Bash, BashOutput and KillShell for one agent. Call `close` when you are done.
 *
 * @throws {TypeError} if an option is missing, unknown or has the wrong type.
 * @example
 * ```ts
 * const shell = shellTools({ root: "/repo", home, outputFolder: "/tmp/out", env: process.env, sandbox: true });
 * const executor = new StreamingToolExecutor({ tools: [...fileTools(), ...shell.tools], context: { cwd: "/repo" } });
 * await shell.close();
 * ```
 */
export function shellTools(given: ShellToolsOptions): ShellTools {
  checkOptions(given, OPTION_KINDS, "shellTools");
  for (const name of REQUIRED)
    if (given[name] === undefined) throw new TypeError(`shellTools: option "${name}" is required.`);
  const { isReadOnlyCommand = () => false, ...options } = given;
  const shells = new Shells(options);
  return {
    tools: [bashTool(shells, isReadOnlyCommand), bashOutputTool(shells), killShellTool(shells)] as AnyTool[],
    shellName: SHELL_NAME,
    isSandboxed: shells.sandbox !== undefined,
    checkSandbox: async () => shells.sandbox?.unavailable(),
    readConfinement: () => shells.readConfinement,
    checkReadConfinement: () => shells.checkReadConfinement(),
    wasSandboxedAt: (atMs) => shells.wasSandboxedAt(atMs),
    takeEndedJobs: () => Promise.all(shells.jobs.takeEnded().map(endedJob)),
    foregroundCommands: () => shells.foreground.list(),
    moveToBackground: (callId) => shells.moveToBackground(callId),
    background: backgroundTasks(shells),
    close: () => shells.close(),
  };
}
