/** The shell tools of one agent, which share its jobs. */

import type { AnyTool } from "@runahead/engine";
import { killShellTool } from "./background-kill.ts";
import { type EndedJob, bashOutputTool, endedJob } from "./background-output.ts";
import { type ReadConfinement, Shells, type ShellsOptions } from "./background.ts";
import { type IsReadOnlyCommand, bashTool } from "./bash.ts";

export interface ShellToolsOptions extends ShellsOptions {
  /** Which commands only look: none where absent. */
  readonly isReadOnlyCommand?: IsReadOnlyCommand;
}

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
  /** Background jobs that ended since this was last asked and whose end the model has not seen. */
  readonly takeEndedJobs: () => Promise<readonly EndedJob[]>;
  /** Ends everything that was started, and comes back when it is gone. */
  readonly close: () => Promise<void>;
}

export function shellTools({ isReadOnlyCommand = () => false, ...options }: ShellToolsOptions): ShellTools {
  const shells = new Shells(options);
  return {
    tools: [bashTool(shells, isReadOnlyCommand), bashOutputTool(shells), killShellTool(shells)] as AnyTool[],
    isSandboxed: shells.sandbox !== undefined,
    readConfinement: () => shells.readConfinement,
    checkReadConfinement: () => shells.checkReadConfinement(),
    wasSandboxedAt: (atMs) => shells.wasSandboxedAt(atMs),
    takeEndedJobs: () => Promise.all(shells.takeEnded().map(endedJob)),
    close: () => shells.close(),
  };
}
