/** Loads the settings of the current folder. */

import { type LoadedSettings, loadSettings } from "@runahead/harness";
import { UsageError } from "@runahead/harness";
import { safeJson } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";

/** Options of every command that reads settings. */
export interface SettingsFlags {
  readonly settings?: string;
  readonly trust?: boolean;
  readonly json?: boolean;
}

export function load({ cwd, home, env }: World, { settings, trust }: SettingsFlags): Promise<LoadedSettings> {
  return loadSettings({
    cwd,
    home,
    env,
    ...(settings === undefined ? {} : { flags: [settings] }),
    ...(trust === true ? { isTrusted: true } : {}),
  });
}

/** Parses an option's value as a JSON object. */
export function objectOf(text: string, option: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `${option} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new UsageError(`${option} must be a JSON object, not ${text.slice(0, 40)}`);
}

/** Reports the problems of the settings. */
export function complainOf({ problems, isIncomplete }: LoadedSettings, { complain }: World): void {
  for (const { severity, message } of problems) complain(`${severity}: ${message}`);
  if (isIncomplete)
    complain(
      "A settings file cannot be read. Until this is fixed, every call that needs permission is asked about.",
    );
}

export const asJson = (value: unknown): string => `${safeJson(value, 2)}\n`;
