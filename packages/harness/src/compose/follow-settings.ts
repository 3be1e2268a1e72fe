/** Passes changed settings on to the permissions of a running agent. */

import type { PermissionGate } from "@runahead/agent";
import type { LoadedSettings } from "../settings/loaded.ts";

/** Returns what passes changed settings on. A mode that the user chose stays, unless the settings changed theirs. */
export function following(gate: PermissionGate, first: LoadedSettings): (settings: LoadedSettings) => void {
  let { mode } = first;
  gate.setSettings(first);
  return (settings) => {
    const stays = gate.mode === "plan" || (settings.mode === mode && !settings.isIncomplete);
    mode = settings.mode;
    gate.setSettings(stays ? { ...settings, mode: gate.mode } : settings);
  };
}
