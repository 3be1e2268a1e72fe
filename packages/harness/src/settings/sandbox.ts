/** The `sandbox` key: reads it from a file, and merges it from all files. */

import { resolve } from "node:path";
import { didYouMean, domainEntry, isShape } from "@runahead/base";
import { isText, shown } from "./shown.ts";
import type { Entry } from "./merge.ts";
import {
  type Problem,
  type Restriction,
  SANDBOX_LISTS,
  SANDBOX_SWITCHES,
  type SandboxList,
  type SandboxSwitch,
  type Setting,
} from "./setting.ts";

/** The sandbox settings that apply. Paths are absolute or begin with `~/`. */
export interface SandboxSettings {
  /** Whether commands run in the sandbox; undefined if no file sets it. */
  readonly isOn: boolean | undefined;
  /** Whether sandboxed commands run without approval if only the mode would ask. */
  readonly mayRunUnasked: boolean;
  /** Hosts that sandboxed commands can reach. */
  readonly allowedDomains: readonly string[];
  /** Hosts that they cannot reach although they are allowed. */
  readonly deniedDomains: readonly string[];
  /** Paths that they can write to, in addition to the workspace. */
  readonly allowWrite: readonly string[];
  /** Paths that they cannot write to although they are in the workspace. */
  readonly denyWrite: readonly string[];
  /** Paths that they cannot read. */
  readonly denyRead: readonly string[];
  /** Whether commands that only read run in the read-only sandbox, if it can start. */
  readonly confinesReads: boolean;
  /** Paths that they can read although a folder around them is hidden. */
  readonly allowRead: readonly string[];
  /** Commands that run outside of the sandbox. They need the approval that they need without a sandbox. */
  readonly excludedCommands: readonly string[];
  /** Sockets of other programs that they can connect to; `all` for every socket below `/run`. */
  readonly unixSockets: readonly string[] | "all";
  /** Whether commands are refused if the sandbox cannot start. If not, they run without it, and need approval. */
  readonly isRequired: boolean;
  /** Whether it also starts in a container that does not allow a new `/proc`. */
  readonly isNested: boolean;
  /** Names of variables that sandboxed commands get in addition to the harmless ones. */
  readonly passEnv: readonly string[];
}

/** What the entries of a list are, by the first part of its key. */
const ENTRIES: Readonly<Record<string, string>> = {
  network: "a domain",
  filesystem: "a path",
  passEnv: "the name of a variable",
  excludedCommands: "a command",
};
/** The lists that restrict. */
const RESTRICTING: ReadonlySet<string> = new Set([
  "network.deniedDomains",
  "filesystem.denyRead",
  "filesystem.denyWrite",
]);
/** Managed restrictions, by their key in `sandbox`. */
const RESTRICTIONS: Readonly<Record<string, Restriction>> = {
  "network.allowManagedDomainsOnly": "sandbox.network.allowManagedDomainsOnly",
  "filesystem.allowManagedReadPathsOnly": "sandbox.filesystem.allowManagedReadPathsOnly",
};
/** Read by `compose/sandbox.ts`, from managed settings only. */
const MANAGED = ["bwrapPath", "enabledPlatforms"];
const GROUPS = ["network", "filesystem", "credentials"];
/** Keys whose value asks for what always happens here. */
const ALWAYS: Readonly<Record<string, readonly unknown[]>> = {
  /** A command can always listen in its sandbox. */
  "network.allowLocalBinding": [true, false],
  /** Only variables that are known to be harmless are passed on. */
  "credentials.envVars": [],
  allowUnsandboxedCommands: [true],
  /** Nothing is reported that could be ignored. */
  ignoreViolations: [],
};
/** Keys that ask for something that does not exist here. */
const INERT: Readonly<Record<string, string>> = {
  "network.httpProxyPort": "the sandbox has its own proxy",
  "network.socksProxyPort": "the sandbox has its own proxy",
  ripgrep: "ripgrep is found in PATH",
  socatPath: "the sandbox has its own proxy",
};
/** Keys about macOS. The sandbox supports only Linux, where they mean nothing in other programs either. */
const MAC = ["network.allowMachLookup", "enableWeakerNetworkIsolation", "allowAppleEvents"];

/** All keys of `sandbox`, for the docs and for hints. */
export const KEYS: readonly string[] = [
  ...SANDBOX_SWITCHES,
  ...SANDBOX_LISTS,
  ...Object.keys(RESTRICTIONS),
  ...MANAGED,
  "credentials.files",
  ...Object.keys(ALWAYS),
  ...Object.keys(INERT),
  ...MAC,
];

export function sandboxContent(
  path: string,
  value: unknown,
): { readonly settings: readonly Setting[]; readonly problems: readonly Problem[] } {
  const reader = new SandboxReader(path);
  reader.group("", value);
  return reader;
}

class SandboxReader {
  readonly settings: Setting[] = [];
  readonly problems: Problem[] = [];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  group(prefix: string, value: unknown): void {
    // One word for a sandbox with its defaults.
    if (prefix === "" && value === true) {
      this.#report("note", "", `is read as {"enabled":true}`);
      return this.#switch("enabled", true);
    }
    if (!isShape(value)) return this.#wrong(prefix.replace(/\.$/, ""), "an object", value);
    for (const [name, member] of Object.entries(value)) this.#member(`${prefix}${name}`, member);
  }

  #member(key: string, value: unknown): void {
    if (GROUPS.includes(key)) return this.group(`${key}.`, value);
    const name = SANDBOX_SWITCHES.find((one) => one === key);
    if (name !== undefined) return this.#switch(name, value);
    const list = SANDBOX_LISTS.find((one) => one === key);
    if (list !== undefined) return this.#list(list, value);
    if (key === "credentials.files") return this.#credentials(key, value);
    if (key === "allowUnsandboxedCommands" && value === false) return this.#neverOutside();
    const restriction = RESTRICTIONS[key];
    if (restriction !== undefined) return this.#restriction(restriction, value);
    this.settings.push({ type: "other", key: `sandbox.${key}`, value });
    if (MANAGED.includes(key)) return;
    if (MAC.includes(key)) return this.#report("note", key, "has no effect on Linux");
    const usual = ALWAYS[key];
    if (usual !== undefined && (usual.length === 0 || usual.includes(value))) return;
    const why = INERT[key];
    const hint = didYouMean(key, KEYS);
    const words =
      why === undefined ? `unknown setting; it has no effect.${hint}` : `has no effect here: ${why}`;
    this.#report("warning", key, words);
  }

  /** A restriction applies with any value except false and null. */
  #restriction(name: Restriction, value: unknown): void {
    if (value !== false && value !== null) this.settings.push({ type: "restriction", name });
  }

  /** `{path, mode: "deny"}`: a file that commands cannot read. */
  #credentials(key: string, value: unknown): void {
    if (!Array.isArray(value)) return this.#wrong(key, "an array", value);
    for (const [index, entry] of value.entries()) {
      const path = isShape(entry) ? entry["path"] : entry;
      if (isText(path)) this.#entry("filesystem.denyRead", `${key}[${index}]`, path.trim());
      else this.#wrong(`${key}[${index}]`, 'an object with "path"', entry);
    }
  }

  #neverOutside(): void {
    for (const rule of ["Bash(dangerouslyDisableSandbox:*)", "Bash(sandbox:false)"])
      this.settings.push({ type: "rule", behavior: "deny", rule });
  }

  #switch(name: SandboxSwitch, value: unknown): void {
    const meant = name === "enabled" && isText(value) && /^true$/i.test(value) ? true : value;
    if (typeof meant === "boolean") this.settings.push({ type: "sandbox-switch", name, isOn: meant });
    else this.#wrong(name, "true or false", value);
  }

  #list(list: SandboxList, written: unknown): void {
    // One text is used if it restricts, but not if it allows.
    const isOne = RESTRICTING.has(list) && isText(written);
    const value = isOne ? [written] : written;
    if (isOne) this.#report("note", list, `is read as ${shown(value)}`);
    if (!Array.isArray(value)) return this.#wrong(list, "an array", value);
    for (const [index, entry] of value.entries()) {
      const at = `${list}[${index}]`;
      if (!isText(entry)) this.#wrong(at, ENTRIES[list.split(".", 1)[0] ?? ""] ?? "a string", entry);
      else this.#entry(list, at, entry.trim());
    }
  }

  #entry(list: SandboxList, at: string, entry: string): void {
    const domain = list.endsWith("Domains") ? domainEntry(entry) : undefined;
    if (domain?.type === "wrong")
      this.#report("error", at, `${shown(entry)}: ${domain.why}; this entry is ignored`);
    else this.settings.push({ type: "sandbox-entry", list, entry });
  }

  #wrong(key: string, expected: string, found: unknown): void {
    this.#report("error", key, `expected ${expected}, found ${shown(found)}; this entry is ignored`);
  }

  #report(severity: Problem["severity"], name: string, words: string): void {
    const key = name === "" ? "sandbox" : `sandbox.${name}`;
    this.problems.push({ severity, path: this.#path, key, message: `${this.#path}: ${key}: ${words}` });
  }
}

/** While a file cannot be read, sandboxed commands need approval too. */
export function sandboxInForce(entries: readonly Entry[], isIncomplete: boolean): SandboxSettings {
  const held = entries.filter(({ status }) => status.type === "in-force");
  const isOn = (name: SandboxSwitch): boolean | undefined =>
    held.flatMap(({ setting }) =>
      setting.type === "sandbox-switch" && setting.name === name ? [setting.isOn] : [],
    )[0];
  const list = (wanted: SandboxList): string[] => [
    ...new Set(
      held.flatMap(({ setting, file }) => {
        if (setting.type !== "sandbox-entry" || setting.list !== wanted) return [];
        return [isPath(wanted) ? placeIn(file.root, setting.entry) : setting.entry];
      }),
    ),
  ];
  return {
    isOn: isOn("enabled"),
    mayRunUnasked: !isIncomplete && isOn("autoAllowBashIfSandboxed") !== false,
    allowedDomains: list("network.allowedDomains"),
    deniedDomains: list("network.deniedDomains"),
    allowWrite: list("filesystem.allowWrite"),
    denyWrite: list("filesystem.denyWrite"),
    denyRead: list("filesystem.denyRead"),
    allowRead: list("filesystem.allowRead"),
    excludedCommands: list("excludedCommands"),
    unixSockets: isOn("network.allowAllUnixSockets") === true ? "all" : list("network.allowUnixSockets"),
    isRequired: isOn("failIfUnavailable") !== false,
    isNested: isOn("enableWeakerNestedSandbox") === true,
    confinesReads: isOn("confineReads") !== false,
    passEnv: list("passEnv"),
  };
}

function isPath(list: SandboxList): boolean {
  return list.startsWith("filesystem") || list === "network.allowUnixSockets";
}

function placeIn(root: string, path: string): string {
  if (path === "~") return "~/";
  return path.startsWith("~/") ? path : resolve(root, path);
}
