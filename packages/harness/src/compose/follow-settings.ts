/** Passes changed settings on to the permissions of a running agent. */

import type { HookRunner, PermissionGate } from "@runahead/agent";
import type { LoadedSettings } from "../settings/loaded.ts";
import type { Environment } from "../settings/place.ts";
import { ConfigChanges } from "./hooks/config-change.ts";
import { RuleWarnings } from "./permissions/rule-warnings.ts";

interface Following {
  readonly env: Environment;
  readonly gate: PermissionGate;
  /** The settings of the start. */
  readonly settings: LoadedSettings;
  readonly hooks: () => HookRunner | undefined;
  readonly onNotice: (message: string) => void;
}

/**
 * Returns what passes changed settings on, after their hooks ran. A mode that the user chose stays, unless the settings
 * changed theirs or forbid it. Rules without effect are reported, now and after a change.
 */
export function following({
  env,
  gate,
  settings: first,
  hooks,
  onNotice,
}: Following): (settings: LoadedSettings) => void {
  let { mode } = first;
  const warnings = new RuleWarnings(onNotice);
  const configs = new ConfigChanges(first, { env, hooks, onNotice });
  gate.setSettings(first);
  warnings.show(gate);
  const apply = (settings: LoadedSettings): void => {
    const isForbidden = Object.hasOwn(settings.forbiddenModes, gate.mode);
    const stays =
      !isForbidden && (gate.mode === "plan" || (settings.mode === mode && !settings.isIncomplete));
    mode = settings.mode;
    gate.setSettings(stays ? { ...settings, mode: gate.mode } : settings);
    warnings.show(gate);
  };
  return (settings) => configs.changed(settings, apply);
}
