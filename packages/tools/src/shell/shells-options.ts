/** Options of the shell tools, and the environment that every command gets. */

import type { Environment } from "@runahead/base";
import type { EndedCommand } from "../files/change-log.ts";
import type { SandboxOptions } from "../sandbox/sandbox-options.ts";
import type { ClientTerminals } from "./terminal.ts";

export interface ShellsOptions {
  /** Folder of the project; an absolute path. */
  readonly root: string;
  /** Folder where the agent records its processes, so that `reapOrphans` finds those that it left running. */
  readonly home: string;
  /** Folder for long outputs. Created when it is needed. */
  readonly outputFolder: string;
  /**
   * Environment of commands. API keys of models and search services are removed; in a sandbox, only variables that are
   * known to be harmless are passed.
   */
  readonly env: Environment;
  /** Variables that every command gets. Default: none. */
  readonly addedEnv?: Environment;
  /** Names of API key variables that commands outside a sandbox get all the same. Default: none. */
  readonly passEnv?: readonly string[];
  /** Runs commands in a sandbox, with these options. Default: false. */
  readonly sandbox?: boolean | SandboxOptions;
  /**
   * Returns whether a command runs outside of the sandbox. A command that was allowed only because it reads still runs
   * in the read-only one. Default: none does.
   */
  readonly runsOutside?: (command: string, cwd: string) => boolean;
  /**
   * Returns the real paths of copies of the project, such as the git worktrees of sub-agents. For a command that runs in
   * one, the sandbox's workspace is the copy instead of `root`. Default: none.
   */
  readonly worktrees?: () => readonly string[];
  /** Options of the read-only sandbox for commands that only read. Options of `sandbox` take precedence. Default: none. */
  readonly reading?: Pick<SandboxOptions, "hidden" | "readable" | "passEnv" | "program">;
  /** Size limit of the output file of one command, in bytes; the rest is dropped. Default: 1 GB. */
  readonly maxOutputBytes?: number;
  /** Maximum number of background jobs at a time. Default: 16. */
  readonly maxJobs?: number;
  /**
   * What happens to a command that reaches its time limit: `kill` stops it, `background` continues it as a background
   * job, and its call returns. Default: `kill`.
   */
  readonly timeoutAction?: "kill" | "background";
  /** Time limit of a command that names none, in milliseconds. Default: 120,000. */
  readonly defaultTimeoutMs?: number;
  /** Longest time limit that a command can name, in milliseconds; at least `defaultTimeoutMs`. Default: 600,000. */
  readonly maxTimeoutMs?: number;
  /** Longest output that a result contains whole, in characters: 1,000 to 60,000. Default: 25,000. */
  readonly maxShownChars?: number;
  /** Whether `cd` in a command has no effect on later ones. Default: false. */
  readonly keepsFolder?: boolean;
  /** Called with each command that could write, when it has ended or goes on in the background. */
  readonly onCommand?: (command: EndedCommand) => void;
  /** Runs commands that are not sandboxed in terminals of the client. Default: in processes of the agent. */
  readonly terminals?: ClientTerminals;
  /** Maximum number of processes of one command at a time. Default: 2,000. */
  readonly maxProcesses?: number;
}

/** There is no terminal: programs must not open an editor, a pager or a prompt. Test runners print less for agents. */
export const FOR_AGENTS: Environment = {
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  PAGER: "cat",
  AI_AGENT: "runahead",
};
