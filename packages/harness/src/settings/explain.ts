/** For `runahead settings`: every value, whether it applies, and where it comes from. */

import { checkLoaded } from "./loaded.ts";
import type { LoadedSettings } from "./loaded.ts";
import type { FileState, Status } from "./merge.ts";
import type { Level } from "./place.ts";
import type { Mode } from "@runahead/permissions";
import { type Problem, keyOf, valueOfSetting } from "./setting.ts";

/** Every value of every settings file, with where it is from and whether it applies. */
export interface Explanation {
  /** Root of the project; a real path. */
  readonly root: string;
  /** Whether the folder is trusted. */
  readonly isTrusted: boolean;
  /** Whether a file could not be read, so that allow rules are suspended. */
  readonly isIncomplete: boolean;
  /** The permission mode after all restrictions. */
  readonly mode: Mode;
  /** The files, highest precedence first. */
  readonly files: readonly {
    /** Display name. */
    readonly name: string;
    /** Absolute path. */
    readonly path: string;
    /** Who the file belongs to. */
    readonly level: Level;
    /** Whether it could be read. */
    readonly state: FileState;
    /** Whether its allow rules, hooks and servers take effect. */
    readonly trusted: boolean;
  }[];
  /** Sorted by key, then by precedence, highest first. */
  readonly values: readonly ExplainedValue[];
  /** What is wrong in the files. */
  readonly problems: readonly Problem[];
}

/** One value of a settings file. */
export interface ExplainedValue {
  /** Its key, such as `permissions.allow`. */
  readonly key: string;
  /** The value as it is in the file. */
  readonly value: unknown;
  /** Name of the file. */
  readonly from: string;
  /** Whether it applies, and why not. */
  readonly status: Status;
}

/**
 * Lists every value of loaded settings with its source and status, as `runahead settings` shows them.
 *
 * @example
 * ```ts
 * const { values } = explainSettings(await loadSettings({ cwd, home, env }));
 * ```
 */
export function explain(loaded: LoadedSettings): Explanation {
  checkLoaded(loaded, "explainSettings");
  const { root, isTrusted, isIncomplete, mode, problems } = loaded;
  const values = loaded.entries.map(({ setting, file, status }) => ({
    key: keyOf(setting),
    value: valueOfSetting(setting),
    from: file.name,
    status,
  }));
  return {
    root,
    isTrusted,
    isIncomplete,
    mode,
    files: loaded.files.map(({ name, path, level, state, trusted }) => ({
      name,
      path,
      level,
      state,
      trusted,
    })),
    values: values.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0)),
    problems,
  };
}
