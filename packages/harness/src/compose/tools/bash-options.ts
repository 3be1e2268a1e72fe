/** Limits of shell commands that variables set. */

import type { ShellToolsOptions } from "@runahead/tools";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { isSet, numberIn, programEnvironment } from "../../settings/variables.ts";
import type { Surroundings } from "../../surroundings.ts";

type BashOptions = Pick<
  ShellToolsOptions,
  "defaultTimeoutMs" | "maxTimeoutMs" | "maxShownChars" | "keepsFolder"
>;

export function bashOptions(
  inherited: Surroundings["env"],
  settings: Pick<LoadedSettings, "env">,
): BashOptions {
  const env = programEnvironment(inherited, settings.env);
  const defaultTimeoutMs = numberIn(env, "BASH_DEFAULT_TIMEOUT_MS");
  const maxTimeoutMs = numberIn(env, "BASH_MAX_TIMEOUT_MS");
  const maxShownChars = numberIn(env, "BASH_MAX_OUTPUT_LENGTH");
  return {
    ...(defaultTimeoutMs === undefined ? {} : { defaultTimeoutMs }),
    ...(maxTimeoutMs === undefined ? {} : { maxTimeoutMs }),
    ...(maxShownChars === undefined ? {} : { maxShownChars }),
    keepsFolder: isSet(env, "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"),
  };
}
