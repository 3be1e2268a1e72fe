/** The settings of a file, by type. Each entry of a list is one setting. */

import type { Shape } from "@runahead/base";
import type { Mode, OrderedRule, RuleAction as Behavior } from "@runahead/permissions";

export type { Mode, OrderedRule, RuleAction as Behavior } from "@runahead/permissions";

/** Settings that only restrict. */
export type Restriction =
  | "disableBypassPermissionsMode"
  | "disableAutoMode"
  | "allowManagedPermissionRulesOnly"
  | "allowManagedHooksOnly"
  | "allowManagedMcpServersOnly"
  | "sandbox.network.allowManagedDomainsOnly"
  | "sandbox.filesystem.allowManagedReadPathsOnly";

/** Lists of `sandbox`, by their key. */
export const SANDBOX_LISTS = [
  "network.allowedDomains",
  "network.deniedDomains",
  "network.allowUnixSockets",
  "filesystem.allowWrite",
  "filesystem.denyWrite",
  "filesystem.denyRead",
  "filesystem.allowRead",
  "excludedCommands",
  "passEnv",
] as const;

export type SandboxList = (typeof SANDBOX_LISTS)[number];

export const SANDBOX_SWITCHES = [
  "enabled",
  "autoAllowBashIfSandboxed",
  "confineReads",
  "failIfUnavailable",
  "enableWeakerNestedSandbox",
  "network.allowAllUnixSockets",
] as const;

export type SandboxSwitch = (typeof SANDBOX_SWITCHES)[number];

export type Setting =
  | { readonly type: "rule"; readonly behavior: Behavior; readonly rule: string }
  | { readonly type: "ordered-rule"; readonly rule: OrderedRule }
  | { readonly type: "directory"; readonly path: string }
  | { readonly type: "mode"; readonly mode: Mode }
  /** As it is in the file; the hook runner checks it. */
  | { readonly type: "hook"; readonly event: string; readonly group: Shape }
  | { readonly type: "variable"; readonly name: string; readonly value: string }
  /** A variable that is passed to processes although it holds an API key. */
  | { readonly type: "passed-variable"; readonly name: string }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "restriction"; readonly name: Restriction }
  | { readonly type: "sandbox-switch"; readonly name: SandboxSwitch; readonly isOn: boolean }
  | { readonly type: "sandbox-entry"; readonly list: SandboxList; readonly entry: string }
  | { readonly type: "other"; readonly key: string; readonly value: unknown };

export interface Problem {
  /** `error`: a setting does not take effect. `note`: something has no effect here, and nothing is lost by that. */
  readonly severity: "error" | "warning" | "note";
  readonly path: string;
  /** The key, such as `permissions.deny[2]`; empty for the whole file. */
  readonly key: string;
  /** Names the file, the key and what was expected. */
  readonly message: string;
}

/** The key in the settings file. */
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
      return setting.name.startsWith("disable") ? "disable" : true;
    case "sandbox-switch":
      return setting.isOn;
    case "sandbox-entry":
      return setting.entry;
  }
}

/** Whether the values of all files are merged; of other settings one value is used. */
export function isMerged({ type }: Setting): boolean {
  return ["rule", "ordered-rule", "directory", "hook", "sandbox-entry", "passed-variable"].includes(type);
}

/** Whether it allows something without approval. */
export function isGrant(setting: Setting): boolean {
  if (setting.type === "rule") return setting.behavior === "allow";
  if (setting.type === "ordered-rule") return setting.rule.action === "allow";
  if (setting.type === "mode") return !["default", "plan", "dontAsk"].includes(setting.mode);
  if (setting.type === "sandbox-entry") return /\.allow|^passEnv$|^excludedCommands$/.test(setting.list);
  return setting.type === "directory" || setting.type === "passed-variable";
}

/** Whether it can prevent something, as a hook also can. */
export function isGuard(setting: Setting): boolean {
  if (["rule", "ordered-rule", "sandbox-entry"].includes(setting.type)) return !isGrant(setting);
  return setting.type === "restriction" || setting.type === "hook";
}

/** Whether it applies in an untrusted folder: only restrictions do. A model name does not, because it selects a server. */
export function appliesUntrusted(setting: Setting): boolean {
  return isGuard(setting) && setting.type !== "hook";
}
