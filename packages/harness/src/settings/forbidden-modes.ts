/** Permission modes that nobody can choose: neither a settings file, nor a flag, nor the user while the agent works. */

import type { SettingsFile } from "./merge.ts";
import type { Environment } from "./place.ts";
import type { Mode, Restriction } from "./setting.ts";

/** Each mode with the reason in words. */
export type ForbiddenModes = Readonly<Partial<Record<Mode, string>>>;

const NOT_AS_ROOT = "root cannot use it";

export function forbiddenModes(files: readonly SettingsFile[], env: Environment): ForbiddenModes {
  return {
    ...(isRefusedRoot(env) ? { bypassPermissions: NOT_AS_ROOT } : {}),
    ...(hasRestriction(files, "disableBypassPermissionsMode")
      ? { bypassPermissions: "disableBypassPermissionsMode forbids it" }
      : {}),
    ...(hasRestriction(files, "disableAutoMode") ? { auto: "disableAutoMode forbids it" } : {}),
  };
}

/** While a settings file cannot be read, only modes that ask are left: the file can contain a deny rule. */
export const ASKING_ONLY: ForbiddenModes = {
  acceptEdits: "a settings file cannot be read",
  auto: "a settings file cannot be read",
  bypassPermissions: "a settings file cannot be read",
};

/** Without prompts, root could change the whole machine. In a container this can be intended. */
export function isRefusedRoot(env: Environment): boolean {
  return process.getuid?.() === 0 && env["RUNAHEAD_ALLOW_ROOT_BYPASS"] !== "1";
}

export function hasRestriction(files: readonly SettingsFile[], name: Restriction): boolean {
  return files.some(({ settings }) =>
    settings.some((setting) => setting.type === "restriction" && setting.name === name),
  );
}
