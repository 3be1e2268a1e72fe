/** What can stand in a settings file: one setting each, by type; lists are taken apart into their entries. */

import type { Shape } from "@runahead/base";
import type { Mode, OrderedRule } from "@runahead/permissions";

export type Behavior = "allow" | "ask" | "deny";

/** What only takes away. */
export type Restriction =
  | "disableBypassPermissionsMode"
  | "allowManagedPermissionRulesOnly"
  | "allowManagedHooksOnly";

/** Lists of `sandbox`, by the key that people know them by. */
export const SANDBOX_LISTS = [
  "network.allowedDomains",
  "network.deniedDomains",
  "filesystem.allowWrite",
  "filesystem.denyWrite",
  "filesystem.denyRead",
  "passEnv",
] as const;

export type SandboxList = (typeof SANDBOX_LISTS)[number];

export type SandboxSwitch = "enabled" | "autoAllowBashIfSandboxed" | "confineReads";

export type Setting =
  | { readonly type: "rule"; readonly behavior: Behavior; readonly rule: string }
  | { readonly type: "ordered-rule"; readonly rule: OrderedRule }
  | { readonly type: "directory"; readonly path: string }
  | { readonly type: "mode"; readonly mode: Mode }
  /** As it stands in the file: what runs hooks knows their form. */
  | { readonly type: "hook"; readonly event: string; readonly group: Shape }
  | { readonly type: "variable"; readonly name: string; readonly value: string }
  /** A variable of the program's own environment that reaches what it starts, although it holds a key. */
  | { readonly type: "passed-variable"; readonly name: string }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "restriction"; readonly name: Restriction }
  | { readonly type: "sandbox-switch"; readonly name: SandboxSwitch; readonly isOn: boolean }
  | { readonly type: "sandbox-entry"; readonly list: SandboxList; readonly entry: string }
  | { readonly type: "other"; readonly key: string; readonly value: unknown };

export interface Problem {
  /** An error: something that was meant to hold does not. */
  readonly severity: "error" | "warning";
  readonly path: string;
  /** Where in the file: `permissions.deny[2]`; empty for the file as a whole. */
  readonly key: string;
  /** Says the file, the key and what was expected. */
  readonly message: string;
}

/** The key that people know it by. */
export function keyOf(setting: Setting): string {
  switch (setting.type) {
    case "rule":
      return `permissions.${setting.behavior}`;
    case "ordered-rule":
      return "permissions.rules";
    case "directory":
      return "permissions.additionalDirectories";
    case "mode":
      return "permissions.defaultMode";
    case "hook":
      return `hooks.${setting.event}`;
    case "variable":
      return `env.${setting.name}`;
    case "passed-variable":
      return "passEnv";
    case "model":
      return "model";
    case "restriction":
      return setting.name;
    case "sandbox-switch":
      return `sandbox.${setting.name}`;
    case "sandbox-entry":
      return `sandbox.${setting.list}`;
    case "other":
      return setting.key;
  }
}

export function valueOfSetting(setting: Setting): unknown {
  switch (setting.type) {
    case "rule":
    case "ordered-rule":
      return setting.rule;
    case "directory":
      return setting.path;
    case "mode":
      return setting.mode;
    case "hook":
      return setting.group;
    case "variable":
    case "other":
      return setting.value;
    case "passed-variable":
      return setting.name;
    case "model":
      return setting.model;
    case "restriction":
      return setting.name === "disableBypassPermissionsMode" ? "disable" : true;
    case "sandbox-switch":
      return setting.isOn;
    case "sandbox-entry":
      return setting.entry;
  }
}

/** Lists are merged; of anything else there is one value. */
export function isMerged({ type }: Setting): boolean {
  return ["rule", "ordered-rule", "directory", "hook", "sandbox-entry", "passed-variable"].includes(type);
}

/** Lets something happen without a question. */
export function isGrant(setting: Setting): boolean {
  if (setting.type === "rule") return setting.behavior === "allow";
  if (setting.type === "ordered-rule") return setting.rule.action === "allow";
  if (setting.type === "mode") return !["default", "plan", "dontAsk"].includes(setting.mode);
  if (setting.type === "sandbox-entry") return /\.allow|^passEnv$/.test(setting.list);
  return setting.type === "directory" || setting.type === "passed-variable";
}

/** Keeps something from happening; a hook may do so too. */
export function isGuard(setting: Setting): boolean {
  if (["rule", "ordered-rule", "sandbox-entry"].includes(setting.type)) return !isGrant(setting);
  return setting.type === "restriction" || setting.type === "hook";
}

/** Applies from a folder that nobody has trusted: only what takes something away. A model's name selects a server. */
export function appliesUntrusted(setting: Setting): boolean {
  return isGuard(setting) && setting.type !== "hook";
}
