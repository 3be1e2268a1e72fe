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
import type { Mode, PermissionSource } from "@runahead/permissions";
import type { Problem } from "./setting.ts";

/** One file's part in permissions. Of one that is not trusted, only what asks and denies may be used. */
export interface RuleSource extends Required<PermissionSource> {
  readonly level: Level;
}

/** One file's hooks, as they stand there. Of one that is not trusted, none may run. */
export interface HookSource {
  readonly name: string;
  readonly level: Level;
  readonly root: string;
  readonly trusted: boolean;
  readonly hooks: Readonly<Record<string, readonly Shape[]>>;
}

/** A value that this part of the agent does not know, and where it stands. */
export interface OtherValue {
  readonly value: unknown;
  readonly name: string;
  readonly trusted: boolean;
}

export interface LoadedSettings {
  readonly cwd: string;
  /** The git root, or where there is none the working directory; a real path. */
  readonly root: string;
  readonly isTrusted: boolean;
  readonly isIncomplete: boolean;
  readonly mode: Mode;
  readonly isBypassDisabled: boolean;
  /** From the one that wins to the one that yields. */
  readonly sources: readonly RuleSource[];
  readonly hooks: readonly HookSource[];
  /** Of trusted files only. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that commands, hooks and MCP servers get although they hold keys of the program's own. */
  readonly passEnv: readonly string[];
  readonly model: string | undefined;
  readonly sandbox: SandboxSettings;
  /** By key, the one that wins first; use only what is trusted. */
  readonly other: ReadonlyMap<string, readonly OtherValue[]>;
  readonly problems: readonly Problem[];
  readonly files: readonly SettingsFile[];
  readonly entries: readonly Entry[];
}
