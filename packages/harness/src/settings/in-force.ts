/** Turns the settings that apply into the form that the rest of the agent uses. */

import type { Shape } from "@runahead/base";
import { ASKING_ONLY, forbiddenModes } from "./forbidden-modes.ts";
import type { HookSource, OtherValue, RuleSource } from "./loaded.ts";
import { type Entry, type SettingsFile, isIncomplete } from "./merge.ts";
import type { Environment } from "./place.ts";
import { sandboxInForce } from "./sandbox.ts";
import type { Behavior, Setting } from "./setting.ts";

export function inForce(files: readonly SettingsFile[], entries: readonly Entry[], env: Environment) {
  const settings = entries.filter(({ status }) => status.type === "in-force").map(({ setting }) => setting);
  const mode = settings.find((setting) => setting.type === "mode")?.mode ?? "default";
  const variables = settings.filter((setting) => setting.type === "variable");
  return {
    isIncomplete: isIncomplete(files),
    mode,
    forbiddenModes: { ...(isIncomplete(files) ? ASKING_ONLY : {}), ...forbiddenModes(files, env) },
    sources: perFile(files, entries, permissionSource),
    hooks: perFile(files, entries, hookSource).filter(({ hooks }) => Object.keys(hooks).length > 0),
    env: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    passEnv: [
      ...new Set(settings.flatMap((setting) => (setting.type === "passed-variable" ? [setting.name] : []))),
    ],
    model: settings.find((setting) => setting.type === "model")?.model,
    sandbox: sandboxInForce(entries, isIncomplete(files)),
    other: otherValues(entries),
  };
}

/** Includes settings of untrusted files; `trusted` of each source says which they are. */
function perFile<T>(
  files: readonly SettingsFile[],
  entries: readonly Entry[],
  make: (file: SettingsFile, usable: readonly Setting[]) => T,
): T[] {
  const there = files.filter(({ state }) => state !== "missing" && state !== "unreadable");
  return there.map((file) => {
    const usable = entries.filter(
      (entry) =>
        entry.file === file && (entry.status.type === "in-force" || entry.status.type === "untrusted"),
    );
    return make(
      file,
      usable.map(({ setting }) => setting),
    );
  });
}

function permissionSource(file: SettingsFile, usable: readonly Setting[]): RuleSource {
  const { name, level, root, trusted } = file;
  const rulesOf = (behavior: Behavior): string[] =>
    usable.flatMap((setting) =>
      setting.type === "rule" && setting.behavior === behavior ? [setting.rule] : [],
    );
  return {
    name,
    level,
    root,
    trusted,
    allow: rulesOf("allow"),
    ask: rulesOf("ask"),
    deny: rulesOf("deny"),
    rules: usable.flatMap((setting) => (setting.type === "ordered-rule" ? [setting.rule] : [])),
    additionalDirectories: usable.flatMap((setting) => (setting.type === "directory" ? [setting.path] : [])),
  };
}

function hookSource(file: SettingsFile, usable: readonly Setting[]): HookSource {
  const { name, level, root, trusted } = file;
  const events = new Map<string, Shape[]>();
  for (const setting of usable)
    if (setting.type === "hook")
      events.set(setting.event, [...(events.get(setting.event) ?? []), setting.group]);
  return { name, level, root, trusted, hooks: Object.fromEntries(events) };
}

function otherValues(entries: readonly Entry[]): Map<string, OtherValue[]> {
  const values = new Map<string, OtherValue[]>();
  for (const { setting, file, status } of entries) {
    if (setting.type !== "other" || status.type === "ignored") continue;
    const found = {
      value: setting.value,
      name: file.name,
      level: file.level,
      trusted: file.trusted,
    };
    values.set(setting.key, [...(values.get(setting.key) ?? []), found]);
  }
  return values;
}
