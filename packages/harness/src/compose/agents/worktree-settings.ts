/** The setting `worktree`: how git worktrees of sub-agents are made. */

import type { WorktreeSettings } from "@runahead/agent";
import { isShape } from "@runahead/base";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { valueOfKey } from "../../settings/other-values.ts";

/** What is not understood is left out. */
export function worktreeSettings(settings: Pick<LoadedSettings, "other">): WorktreeSettings {
  const value = valueOfKey(settings, "worktree");
  if (!isShape(value)) return {};
  const texts = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
  const { baseRef } = value;
  return {
    symlinkDirectories: texts(value["symlinkDirectories"]),
    sparsePaths: texts(value["sparsePaths"]),
    ...(baseRef === "fresh" || baseRef === "head" ? { baseRef } : {}),
  };
}
