/** Options of the sandbox and of single commands. */

import type { Environment } from "@runahead/base";
import type { SandboxNetwork } from "./sandbox-network.ts";
import type { StandIns } from "./sandbox-stand-ins.ts";

/**
 * Options of the sandbox. Relative paths are resolved in the workspace; `~/` is the user's home. Paths can be patterns
 * with `*`, `**` and `?`: they stand for what exists when a command starts.
 */
export interface SandboxOptions {
  /** Folders that commands can write to, in addition to the workspace and `/tmp`. Default: none. */
  readonly writable?: readonly string[];
  /** Paths in writable folders that commands cannot change. Replaces the default list. */
  readonly protected?: readonly string[];
  /** Further paths in writable folders that commands cannot change. Default: none. */
  readonly readOnly?: readonly string[];
  /** Files and folders that commands cannot read, in addition to the default locations of secrets. Default: none. */
  readonly hidden?: readonly string[];
  /** Files and folders that commands can read although they are in a hidden folder. Default: none. */
  readonly readable?: readonly string[];
  /** Sockets of other programs that commands can connect to; `all` for every socket below `/run`. Default: none. */
  readonly sockets?: readonly string[] | "all";
  /**
   * Starts also in a container that does not allow a new `/proc`. Then commands see the processes outside. Default:
   * false.
   */
  readonly nested?: boolean;
  /** Network access: true for all hosts, or a list. Default: none. */
  readonly network?: boolean | SandboxNetwork;
  /** Variables that commands get although they are not on the list of harmless ones. Default: none. */
  readonly passEnv?: readonly string[];
  /** Path of bubblewrap. Default: `bwrap`. */
  readonly program?: string;
}

export interface CommandPlace {
  readonly cwd: string;
  readonly env: Environment;
  /** Variables that the settings set for every command. */
  readonly added?: Environment;
  /** More files that this command must not read. */
  readonly hidden?: readonly string[];
}

export type SandboxProfile = "workspace" | "read-only";

export interface SandboxPlace {
  readonly profile: SandboxProfile;
  readonly root: string;
  /** The agent's private folder: hidden, except for its `tmp`. */
  readonly stateFolder: string;
  /** The agent's folder. It has the sockets by which its questions are answered. */
  readonly home: string;
  /** Folder of long outputs, which the model can read. */
  readonly outputFolder: string;
  readonly env: Environment;
  readonly standIns: StandIns;
}
