/** The shell tools of one agent, which share its jobs. */

import { type OptionKind, checkOptions } from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import { killShellTool } from "./background-kill.ts";
import { bashOutputTool } from "./background-output.ts";
import { type ReadConfinement, Shells, type ShellsOptions } from "./background.ts";
import { type IsReadOnlyCommand, bashTool } from "./bash.ts";

export interface ShellToolsOptions extends ShellsOptions {
  /** Which commands only look: none where absent. */
  readonly isReadOnlyCommand?: IsReadOnlyCommand;
}

const OPTION_KINDS: Readonly<Record<keyof ShellToolsOptions, OptionKind>> = {
  root: "string",
  home: "string",
  outputFolder: "string",
  env: "object",
  addedEnv: "object",
  passEnv: "strings",
  sandbox: "boolean or object",
  reading: "object",
  maxOutputBytes: "number",
  maxJobs: "number",
  maxProcesses: "number",
  isReadOnlyCommand: "function",
};

const REQUIRED = ["root", "home", "outputFolder", "env"] as const;

export interface ShellTools {
  /** Bash, BashOutput and KillShell. */
  readonly tools: readonly AnyTool[];
  /** Commands run in a sandbox, or not at all. */
  readonly isSandboxed: boolean;
  /** Whether commands that only read can be kept to reading, as far as is known. */
  readonly readConfinement: () => ReadConfinement;
  /** Finds it out, which takes some milliseconds; never rejects. */
  readonly checkReadConfinement: () => Promise<ReadConfinement>;
  /** Whether a command that can write ran in the sandbox at this time, in milliseconds. */
  readonly wasSandboxedAt: (atMs: number) => boolean;
  /** Ends everything that was started, and comes back when it is gone. */
  readonly close: () => Promise<void>;
}

export function shellTools(given: ShellToolsOptions): ShellTools {
  checkOptions(given, OPTION_KINDS, "shellTools");
  for (const name of REQUIRED)
    if (given[name] === undefined) throw new TypeError(`shellTools: option "${name}" is required.`);
  const { isReadOnlyCommand = () => false, ...options } = given;
  const shells = new Shells(options);
  return {
    tools: [bashTool(shells, isReadOnlyCommand), bashOutputTool(shells), killShellTool(shells)] as AnyTool[],
    isSandboxed: shells.sandbox !== undefined,
    readConfinement: () => shells.readConfinement,
    checkReadConfinement: () => shells.checkReadConfinement(),
    wasSandboxedAt: (atMs) => shells.wasSandboxedAt(atMs),
    close: () => shells.close(),
  };
}
