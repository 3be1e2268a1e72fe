/**
 * Decides which settings apply. The files are ordered, highest precedence first. Every setting of every file gets a
 * status; the agent and `runahead settings` both use it.
 *
 * 1. A deny or ask rule applies in every file.
 * 2. Settings of an untrusted folder grant nothing and run nothing.
 * 3. While an existing file cannot be read, no allow rule applies, because the file may contain a deny rule.
 */

import type { Level } from "./place.ts";
import { weakening } from "./repository.ts";
import {
  type Problem,
  type Restriction,
  type Setting,
  appliesUntrusted,
  isGrant,
  isMerged,
  keyOf,
} from "./setting.ts";

/** `kept`: it cannot be read, so its last valid content is used. `deleted`: its restrictions still apply. */
export type FileState = "read" | "missing" | "unreadable" | "kept" | "deleted";

export interface SettingsFile {
  readonly level: Level;
  /** Display name. */
  readonly name: string;
  readonly path: string;
  /** What `/x` in a path rule means. */
  readonly root: string;
  readonly trusted: boolean;
  readonly state: FileState;
  readonly settings: readonly Setting[];
}

export type Status =
  | { readonly type: "in-force" }
  /** The value of another file is used. */
  | { readonly type: "shadowed"; readonly by: string }
  /** It would apply if the folder were trusted. */
  | { readonly type: "untrusted" }
  | { readonly type: "suspended"; readonly why: string }
  /** It has no effect in this file, which is also reported as a problem. */
  | { readonly type: "ignored"; readonly why: string };

export interface Entry {
  readonly setting: Setting;
  readonly file: SettingsFile;
  readonly status: Status;
}

const IN_FORCE: Status = { type: "in-force" };

export function entriesOf(files: readonly SettingsFile[]): Entry[] {
  const limits = new Limits(files);
  const winners = new Map<string, string>();
  return files.flatMap((file) =>
    file.settings.map((setting): Entry => {
      const objection = limits.objection(setting, file);
      if (objection !== undefined) return { setting, file, status: objection };
      if (isMerged(setting)) return { setting, file, status: IN_FORCE };
      const by = winners.get(keyOf(setting));
      if (by !== undefined) return { setting, file, status: { type: "shadowed", by } };
      winners.set(keyOf(setting), file.name);
      return { setting, file, status: IN_FORCE };
    }),
  );
}

export function isIncomplete(files: readonly SettingsFile[]): boolean {
  return files.some(({ state }) => state === "unreadable");
}

/** Problems of merging that the user should see. */
export function problemsOf(entries: readonly Entry[]): Problem[] {
  return entries.flatMap(({ setting, file, status }): Problem[] => {
    const words = wordsOf(status);
    if (words === undefined) return [];
    const key = keyOf(setting);
    return [{ severity: "warning", path: file.path, key, message: `${file.path}: ${key}: ${words}` }];
  });
}

function wordsOf(status: Status): string | undefined {
  return status.type === "ignored" ? `ignored: ${status.why}` : undefined;
}

/** Restrictions that files put on each other. */
class Limits {
  readonly #files: readonly SettingsFile[];
  readonly #isIncomplete: boolean;
  readonly #isBypassDisabled: boolean;
  readonly #managedRulesOnly: boolean;
  readonly #hooksOf: "all" | "managed" | "none";

  constructor(files: readonly SettingsFile[]) {
    const managed = files.filter(({ level }) => level === "managed");
    this.#files = files;
    this.#isIncomplete = isIncomplete(files);
    this.#isBypassDisabled = hasRestriction(files, "disableBypassPermissionsMode");
    this.#managedRulesOnly = hasRestriction(managed, "allowManagedPermissionRulesOnly");
    const isManagedOnly =
      hasRestriction(managed, "allowManagedHooksOnly") || turnsHooksOff(files.filter(isOwn));
    this.#hooksOf = turnsHooksOff(managed) ? "none" : isManagedOnly ? "managed" : "all";
  }

  /** Returns why a setting has no effect; undefined if it applies. */
  objection(setting: Setting, file: SettingsFile): Status | undefined {
    const why = this.#misplaced(setting, file);
    if (why !== undefined) return { type: "ignored", why };
    const reason = this.#suspended(setting, file);
    if (reason !== undefined) return { type: "suspended", why: reason };
    return file.trusted || appliesUntrusted(setting) ? undefined : { type: "untrusted" };
  }

  #misplaced(setting: Setting, file: SettingsFile): string | undefined {
    const { level } = file;
    const isManagedOnly = setting.type === "restriction" && setting.name.startsWith("allowManaged");
    if (isManagedOnly && level !== "managed") return "it is allowed only in managed settings";
    const isOfRepository = !isOwn(file);
    if (isOfRepository) {
      const why = weakening(setting, { root: file.root, own: this.#files.filter(isOwn) });
      if (why !== undefined) return why;
    }
    if (setting.type !== "mode") return undefined;
    if (isOfRepository && (setting.mode === "auto" || setting.mode === "bypassPermissions"))
      return `a repository cannot set ${setting.mode}`;
    if (setting.mode === "bypassPermissions" && this.#isBypassDisabled)
      return "disableBypassPermissionsMode forbids it";
    if (setting.mode === "auto" && hasRestriction(this.#files, "disableAutoMode"))
      return "disableAutoMode forbids it";
    return undefined;
  }

  #suspended(setting: Setting, file: SettingsFile): string | undefined {
    const { level } = file;
    if (this.#isIncomplete && isGrant(setting)) return "a settings file cannot be read";
    const isRule = setting.type === "rule" || setting.type === "ordered-rule";
    if (this.#managedRulesOnly && level !== "managed" && isRule && isGrant(setting))
      return "only managed rules can allow calls";
    if (setting.type !== "hook") return undefined;
    // A repository can turn off only its own hooks, because the user's hooks may guard against it.
    if (!isOwn(file) && turnsHooksOff(this.#files)) return "hooks are turned off";
    if (this.#hooksOf === "all") return undefined;
    if (this.#hooksOf === "managed" && level === "managed") return undefined;
    return this.#hooksOf === "managed" ? "only managed hooks run" : "hooks are turned off";
  }
}

/** Whether it belongs to the user or the administrator, and not to a repository. */
function isOwn({ level }: SettingsFile): boolean {
  return level !== "project" && level !== "local";
}

function hasRestriction(files: readonly SettingsFile[], name: Restriction): boolean {
  return files.some(({ settings }) =>
    settings.some((setting) => setting.type === "restriction" && setting.name === name),
  );
}

function turnsHooksOff(files: readonly SettingsFile[]): boolean {
  const isOff = (setting: Setting): boolean =>
    setting.type === "other" && setting.key === "disableAllHooks" && setting.value === true;
  return files.some(({ trusted, settings }) => trusted && settings.some(isOff));
}
