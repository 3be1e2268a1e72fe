/**
 * Decides which settings apply. The files are ordered, highest precedence first. Every setting of every file gets a
 * status; the agent and `runahead settings` both use it.
 *
 * 1. A deny or ask rule applies in every file.
 * 2. Settings of an untrusted folder grant nothing and run nothing.
 * 3. A setting of a repository that would protect less applies only if the user accepted its exact value.
 * 4. While an existing file cannot be read, no allow rule applies, because the file may contain a deny rule.
 */

import { type ForbiddenModes, forbiddenModes, hasRestriction } from "./forbidden-modes.ts";
import { MANAGED_KEYS, OWN_KEYS } from "./known-keys.ts";
import type { Environment, Level } from "./place.ts";
import { acceptanceOf, weakening } from "./repository.ts";
import { type Problem, type Setting, appliesUntrusted, isGrant, isMerged, keyOf } from "./setting.ts";

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
  | {
      readonly type: "shadowed";
      /** The name of that file, for display. */
      readonly by: string;
    }
  /** It would apply if the folder were trusted. */
  | { readonly type: "untrusted" }
  | {
      readonly type: "suspended";
      /** Why it does not apply now, in words. */
      readonly why: string;
    }
  /** It has no effect in this file, which is also reported as a problem. */
  | {
      readonly type: "ignored";
      /** Why it has no effect, in words. */
      readonly why: string;
    };

export interface Entry {
  readonly setting: Setting;
  readonly file: SettingsFile;
  readonly status: Status;
}

const IN_FORCE: Status = { type: "in-force" };

export interface MergeOptions {
  readonly env: Environment;
  /** What the user accepted of this repository, as `acceptanceOf` writes it. */
  readonly accepted: ReadonlySet<string>;
}

export function entriesOf(files: readonly SettingsFile[], options: MergeOptions): Entry[] {
  const limits = new Limits(files, options);
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
  readonly #forbidden: ForbiddenModes;
  readonly #managedRulesOnly: boolean;
  readonly #hooksOf: "all" | "managed" | "none";
  readonly #managedHostsOnly: boolean;
  readonly #managedReadsOnly: boolean;
  readonly #accepted: ReadonlySet<string>;

  constructor(files: readonly SettingsFile[], { accepted, env }: MergeOptions) {
    const managed = files.filter(({ level }) => level === "managed");
    this.#files = files;
    this.#accepted = accepted;
    this.#managedHostsOnly = hasRestriction(managed, "sandbox.network.allowManagedDomainsOnly");
    this.#managedReadsOnly = hasRestriction(managed, "sandbox.filesystem.allowManagedReadPathsOnly");
    this.#isIncomplete = isIncomplete(files);
    this.#forbidden = forbiddenModes(files, env);
    this.#managedRulesOnly = hasRestriction(managed, "allowManagedPermissionRulesOnly");
    const isManagedOnly =
      hasRestriction(managed, "allowManagedHooksOnly") || turnsHooksOff(files.filter(isOwn));
    this.#hooksOf = turnsHooksOff(managed) ? "none" : isManagedOnly ? "managed" : "all";
  }

  /** Returns why a setting has no effect; undefined if it applies. */
  objection(setting: Setting, file: SettingsFile): Status | undefined {
    const why = this.#misplaced(setting, file);
    if (why !== undefined) return { type: "ignored", why };
    const weaker = this.#weaker(setting, file);
    // An untrusted folder's own settings are listed in the trust dialog, which says what trust would enable.
    if (weaker !== undefined && file.trusted) return { type: "ignored", why: weaker };
    const reason = this.#suspended(setting, file);
    if (reason !== undefined) return { type: "suspended", why: reason };
    return file.trusted || appliesUntrusted(setting) ? undefined : { type: "untrusted" };
  }

  #misplaced(setting: Setting, file: SettingsFile): string | undefined {
    const { level } = file;
    const isManagedOnly = setting.type === "restriction" && setting.name.includes("allowManaged");
    const isManagedKey = setting.type === "other" && MANAGED_KEYS.includes(setting.key);
    if ((isManagedOnly || isManagedKey) && level !== "managed")
      return "it is allowed only in managed settings";
    if (setting.type === "other" && OWN_KEYS.includes(setting.key) && !isOwn(file))
      return "it has no effect in the files of a repository; put it into your user settings";
    if (setting.type !== "mode") return undefined;
    if (!isOwn(file) && setting.mode === "auto") return "a repository cannot set auto";
    return this.#forbidden[setting.mode];
  }

  #isLeftToManaged(setting: Setting): boolean {
    if (this.#managedHostsOnly && allowsHost(setting)) return true;
    const isRead = setting.type === "sandbox-entry" && setting.list === "filesystem.allowRead";
    return this.#managedReadsOnly && isRead;
  }

  #weaker(setting: Setting, file: SettingsFile): string | undefined {
    if (isOwn(file) || this.#accepted.has(acceptanceOf(setting))) return undefined;
    const why = weakening(setting, { root: file.root, own: this.#files.filter(isOwn) });
    return why === undefined ? undefined : `${why}, or run \`runahead trust --accept\` to accept this value`;
  }

  #suspended(setting: Setting, file: SettingsFile): string | undefined {
    const { level } = file;
    if (level !== "managed" && this.#isLeftToManaged(setting)) return "only managed settings can allow it";
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

/** Whether it lets commands or WebFetch reach a host. */
function allowsHost(setting: Setting): boolean {
  if (setting.type === "rule") return setting.behavior === "allow" && /^WebFetch\b/.test(setting.rule.trim());
  return setting.type === "sandbox-entry" && setting.list === "network.allowedDomains";
}

/** Whether it belongs to the user or the administrator, and not to a repository. */
function isOwn({ level }: Pick<SettingsFile, "level">): boolean {
  return level !== "project" && level !== "local";
}

/** What a repository asks for that takes effect only if the user accepts it, as `Trust.trust` takes it. */
export function acceptances(entries: readonly Entry[]): string[] {
  const own = [...new Set(entries.map(({ file }) => file))].filter(isOwn);
  const found = entries.filter(
    ({ setting, file }) => !isOwn(file) && weakening(setting, { root: file.root, own }) !== undefined,
  );
  return [...new Set(found.map(({ setting }) => acceptanceOf(setting)))];
}

function turnsHooksOff(files: readonly SettingsFile[]): boolean {
  const isOff = (setting: Setting): boolean =>
    setting.type === "other" && setting.key === "disableAllHooks" && setting.value === true;
  return files.some(({ trusted, settings }) => trusted && settings.some(isOff));
}
