/** For `runahead settings`: every value that stands anywhere, whether it holds, and where it came from. */

import type { LoadedSettings } from "./loaded.ts";
import type { FileState, Status } from "./merge.ts";
import type { Level } from "./place.ts";
import type { Mode } from "@runahead/permissions";
import { type Problem, keyOf, valueOfSetting } from "./setting.ts";

export interface Explanation {
  readonly root: string;
  readonly isTrusted: boolean;
  readonly isIncomplete: boolean;
  /** After everything that limits it. */
  readonly mode: Mode;
  readonly files: readonly {
    readonly name: string;
    readonly path: string;
    readonly level: Level;
    readonly state: FileState;
    readonly trusted: boolean;
  }[];
  /** By key; within one, from the file that wins to the one that yields. */
  readonly values: readonly ExplainedValue[];
  readonly problems: readonly Problem[];
}

export interface ExplainedValue {
  readonly key: string;
  readonly value: unknown;
  /** The file's name, for people. */
  readonly from: string;
  readonly status: Status;
}

export function explain(loaded: LoadedSettings): Explanation {
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
