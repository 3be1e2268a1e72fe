/**
 * All settings, merged, for the rest of the agent.
 *
 * `isIncomplete` means that an existing file could not be read, so a deny rule may be missing. Then every allow rule and
 * additional directory is suspended, and the mode is `default` or stricter. Code that adds rules or a mode must do the
 * same.
 */

import { isShape, wrong } from "@runahead/base";
import type { Shape } from "@runahead/base";
import type { Entry, SettingsFile } from "./merge.ts";
import type { Level } from "./place.ts";
import type { SandboxSettings } from "./sandbox.ts";
import type { Mode, Problem } from "./setting.ts";
import type { PermissionSource } from "@runahead/permissions";

/** The permission rules of one file. If the file is not trusted, only its ask and deny rules are used. */
export type RuleSource = Required<PermissionSource>;

/** One settings file's hooks. If it is not trusted, none of them can run. */
export interface HookSource {
  /** Display name of the file. */
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

/** A value under a key that is not interpreted here, and the file that it is in. */
export interface OtherValue {
  readonly value: unknown;
  readonly name: string;
  readonly level: Level;
  readonly trusted: boolean;
}

/** All settings of a folder, merged. */
export interface LoadedSettings {
  /** The folder that the settings are for. */
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
  /** The permission modes that cannot be chosen, neither by settings nor later, each with the reason in words. */
  readonly forbiddenModes: Readonly<Partial<Record<Mode, string>>>;
  /** Permission rules of each file, highest precedence first. */
  readonly sources: readonly RuleSource[];
  /** Hooks of each file, highest precedence first. */
  readonly hooks: readonly HookSource[];
  /** Variables for commands, from trusted files only. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables with API keys that commands, hooks and MCP servers get nevertheless. */
  readonly passEnv: readonly string[];
  /** Name of the model; undefined if no file sets it. */
  readonly model: string | undefined;
  /** The sandbox settings that apply. */
  readonly sandbox: SandboxSettings;
  /** By key, highest precedence first. Use only trusted values. */
  readonly other: ReadonlyMap<string, readonly OtherValue[]>;
  /** What is wrong in the files. */
  readonly problems: readonly Problem[];
  /** All files that were looked for, including missing ones. */
  readonly files: readonly SettingsFile[];
  /** Every value of every file, with its status. */
  readonly entries: readonly Entry[];
}

/** Throws a TypeError if this is not what `loadSettings` returned. */
export function checkLoaded(settings: unknown, of: string): void {
  if (!isShape(settings) || !Array.isArray(settings["entries"]) || !isShape(settings["sandbox"]))
    throw wrong(`${of}: "settings"`, "the result of loadSettings()", settings);
}
