/**
 * Decides whether a tool call can run, by rules, permission modes, protected places, and a bash-compatible analysis of
 * shell commands.
 */

export { type Parsed as ParsedShell, parseShell } from "./bash/parse.ts";
export {
  type ShellAssignment,
  type ShellCommand,
  type ShellRedirect,
  type ShellScope,
  type ShellScript,
  type ShellWord,
} from "./bash/script.ts";
export { type CommandAccess, commandAccess } from "./verdict/command-access.ts";
export { readShell } from "./bash/walk.ts";
export { type WorkspaceCopy } from "./paths/copies.ts";
export { type DiskEntry, type DiskStat, type EntryType, type Files } from "./paths/disk.ts";
export { type RealPath } from "./paths/paths.ts";
export { type Mode, PERMISSION_MODES, permissionMode } from "./rules/modes.ts";
export { type Action as RuleAction } from "./rules/rule.ts";
export {
  type OrderedRule,
  type PermissionSettings,
  type PermissionSource,
  type RuleLists,
  type SettingsLevel,
} from "./rules/settings.ts";
export { type RuleChoice } from "./rules/suggest.ts";
export { type Confinement } from "./verdict/clearance.ts";
export {
  type PermissionOptions,
  type Permissions,
  createPermissions,
  readOnlyCommand,
} from "./verdict/permissions.ts";
export {
  type Verdict as PermissionVerdict,
  type By as VerdictBy,
} from "./verdict/verdict.ts";
