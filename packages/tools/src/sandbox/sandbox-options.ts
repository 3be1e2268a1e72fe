/** What the settings say about the sandbox, and what a command is given besides. */

import type { Environment } from "@runahead/base";
import type { SandboxNetwork } from "./sandbox-network.ts";
import type { StandIns } from "./sandbox-stand-ins.ts";

/** Relative paths are in the workspace, and `~/` is the person's home. */
export interface SandboxOptions {
  /** Folders that commands can write to, beside the workspace and `/tmp`. */
  readonly writable?: readonly string[];
  /** Places that stay as they are although they are in a writable folder, instead of the usual ones. */
  readonly protected?: readonly string[];
  /** More of these, beside the usual ones. */
  readonly readOnly?: readonly string[];
  /** Files and folders that cannot be read, beside the usual places of secrets. */
  readonly hidden?: readonly string[];
  /** All of it, or these hosts. Default: none. */
  readonly network?: boolean | SandboxNetwork;
  /** Variables that commands get although they are not on the list of harmless ones. */
  readonly passEnv?: readonly string[];
  /** Path of bubblewrap. Default: `bwrap`. */
  readonly program?: string;
}

export interface CommandPlace {
  readonly cwd: string;
  readonly env: Environment;
  /** Variables that the settings give to every command. */
  readonly added?: Environment;
  /** More files that this command must not read. */
  readonly hidden?: readonly string[];
}

export type SandboxProfile = "workspace" | "read-only";

export interface SandboxPlace {
  readonly profile: SandboxProfile;
  readonly root: string;
  /** The agent's own folder: hidden, except for its `tmp`. */
  readonly stateFolder: string;
  /** Where long outputs are kept, which the model can read. */
  readonly outputFolder: string;
  readonly env: Environment;
  readonly standIns: StandIns;
}
