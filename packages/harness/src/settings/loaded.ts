/**
 * All settings, merged: what the rest of the agent is given.
 *
 * `isIncomplete` means that a file which is there could not be read, and so that a deny may be missing. Nothing is
 * then allowed without asking: every allow rule and added directory is suspended and the mode is `default`, unless it
 * is stricter. Whoever adds rules or a mode of their own must do the same.
 */

import type { Shape } from "@runahead/base";
import type { Entry, SettingsFile } from "./merge.ts";
import type { Level } from "./place.ts";
import type { SandboxSettings } from "./sandbox.ts";
import type { Mode, Problem } from "./setting.ts";
import type { PermissionSource } from "@runahead/permissions";

/** One file's part in permissions, complete. Only what asks and denies is used of a file that is not trusted. */
export type RuleSource = Required<PermissionSource>;

/** One settings file's hooks. If it is not trusted, none of them can run. */
export interface HookSource {
  /** Name of the file, for people. */
  readonly name: string;
  /** Who the file belongs to; it decides which file wins. */
  readonly level: Level;
  /** Folder that relative paths in it are resolved against. */
  readonly root: string;
  /** Whether what it allows or runs takes effect. */
  readonly trusted: boolean;
  /** The hooks by event, as they are in the file. */
  readonly hooks: Readonly<Record<string, readonly Shape[]>>;
}

/** A value that this part of the agent does not know, and where it stands. */
export interface OtherValue {
  readonly value: unknown;
  readonly name: string;
  readonly trusted: boolean;
}

/** All settings of a folder, merged. */
export interface LoadedSettings {
  /** The folder that was asked for. */
  readonly cwd: string;
  /** Root of the git repository, or else `cwd`; a real path. */
  readonly root: string;
  /** Whether the folder is trusted. */
  readonly isTrusted: boolean;
  /**
   * Whether a file could not be read. Then every allow rule is suspended, and the mode is `default` or stricter. A
   * caller that adds rules must do the same.
   */
  readonly isIncomplete: boolean;
  /** The permission mode that applies. */
  readonly mode: Mode;
  /** Whether managed settings forbid `bypassPermissions`. */
  readonly isBypassDisabled: boolean;
  /** From the one that wins to the one that yields. */
  readonly sources: readonly RuleSource[];
  /** Hooks of each file, from the one that wins to the one that yields. */
  readonly hooks: readonly HookSource[];
  /** Variables for commands; of trusted files only. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that commands, hooks and MCP servers get although they hold keys of the program's own. */
  readonly passEnv: readonly string[];
  /** Name of the model; undefined if no file sets it. */
  readonly model: string | undefined;
  /** The sandbox settings that apply. */
  readonly sandbox: SandboxSettings;
  /** By key, the one that wins first; use only what is trusted. */
  readonly other: ReadonlyMap<string, readonly OtherValue[]>;
  /** What is wrong in the files. */
  readonly problems: readonly Problem[];
  /** The files that were looked at, missing ones included. */
  readonly files: readonly SettingsFile[];
  /** Every value of every file, with its status. */
  readonly entries: readonly Entry[];
}
