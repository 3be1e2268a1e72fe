/** The key `sandbox` of a settings file, and what of all files is in force of it. */

import { resolve } from "node:path";
import { domainEntry, isShape } from "@runahead/base";
import { isText, shown } from "./shown.ts";
import type { Entry } from "./merge.ts";
import {
  type Problem,
  SANDBOX_LISTS,
  type SandboxList,
  type SandboxSwitch,
  type Setting,
} from "./setting.ts";

/** What the settings say of the sandbox for commands. Paths are absolute, or begin with `~/`. */
export interface SandboxSettings {
  /** Undefined where no file says so. */
  readonly isOn: boolean | undefined;
  /** What only the mode would ask about is run without asking, since it runs in the sandbox. */
  readonly mayRunUnasked: boolean;
  /** Hosts that sandboxed commands can reach. */
  readonly allowedDomains: readonly string[];
  /** Hosts that they cannot reach although they are allowed. */
  readonly deniedDomains: readonly string[];
  /** Paths that they can write to, beside the workspace. */
  readonly allowWrite: readonly string[];
  /** Paths that they cannot write to although they are in the workspace. */
  readonly denyWrite: readonly string[];
  /** Paths that they cannot read. */
  readonly denyRead: readonly string[];
  /** Commands that only read run in the read-only sandbox, where it can start. */
  readonly confinesReads: boolean;
  /** Names of variables that sandboxed commands get although they are not on the list of harmless ones. */
  readonly passEnv: readonly string[];
}

const SWITCHES: readonly string[] = [
  "enabled",
  "autoAllowBashIfSandboxed",
  "confineReads",
] satisfies SandboxSwitch[];
/** What a list has in it, by the first part of its key. */
const ENTRIES: Readonly<Record<string, string>> = {
  network: "a domain",
  filesystem: "a path",
  passEnv: "the name of a variable",
};
const GROUPS = ["network", "filesystem"];
/** Known elsewhere, and so here in any case: a command can listen in its sandbox. */
const WITHOUT_EFFECT = ["network.allowLocalBinding"];

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
    if (!isShape(value)) return this.#wrong(prefix.replace(/\.$/, ""), "an object", value);
    for (const [name, member] of Object.entries(value)) this.#member(`${prefix}${name}`, member);
  }

  #member(key: string, value: unknown): void {
    if (GROUPS.includes(key)) return this.group(`${key}.`, value);
    if (SWITCHES.includes(key)) return this.#switch(key as SandboxSwitch, value);
    const list = SANDBOX_LISTS.find((one) => one === key);
    if (list !== undefined) return this.#list(list, value);
    this.settings.push({ type: "other", key: `sandbox.${key}`, value });
    if (!WITHOUT_EFFECT.includes(key)) this.#tell("warning", key, "it is not known here and has no effect");
  }

  #switch(name: SandboxSwitch, value: unknown): void {
    if (typeof value === "boolean") this.settings.push({ type: "sandbox-switch", name, isOn: value });
    else this.#wrong(name, "true or false", value);
  }

  #list(list: SandboxList, value: unknown): void {
    if (!Array.isArray(value)) return this.#wrong(list, "a list", value);
    for (const [index, entry] of value.entries()) {
      const at = `${list}[${index}]`;
      if (!isText(entry)) this.#wrong(at, ENTRIES[list.split(".", 1)[0] ?? ""] ?? "a text", entry);
      else this.#entry(list, at, entry.trim());
    }
  }

  #entry(list: SandboxList, at: string, entry: string): void {
    const domain = list.startsWith("network") ? domainEntry(entry) : undefined;
    if (domain?.type === "wrong")
      this.#tell("error", at, `${shown(entry)}: ${domain.why}; this entry is left out`);
    else this.settings.push({ type: "sandbox-entry", list, entry });
  }

  #wrong(key: string, expected: string, found: unknown): void {
    this.#tell("error", key, `expected ${expected}, found ${shown(found)}; this entry is left out`);
  }

  #tell(severity: Problem["severity"], name: string, words: string): void {
    const key = name === "" ? "sandbox" : `sandbox.${name}`;
    this.problems.push({ severity, path: this.#path, key, message: `${this.#path}: ${key}: ${words}` });
  }
}

/** While a file cannot be read nothing runs unasked, in the sandbox neither. */
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
        return [wanted.startsWith("filesystem") ? placeIn(file.root, setting.entry) : setting.entry];
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
    confinesReads: isOn("confineReads") !== false,
    passEnv: list("passEnv"),
  };
}

function placeIn(root: string, path: string): string {
  return path.startsWith("~/") ? path : resolve(root, path);
}
