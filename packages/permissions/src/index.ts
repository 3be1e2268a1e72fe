/** Decides whether a tool call can run: rules, modes, protected places, and shell commands understood as bash understands them. */

export { parseShell } from "./bash/parse.ts";
export { type ShellCommand, type ShellWord } from "./bash/script.ts";
export { readShell } from "./bash/walk.ts";
export { type RuleOfHook, concerns } from "./rules/concerns.ts";
export { type Confinement, clearanceNow, clearanceOf, noteClearance } from "./verdict/clearance.ts";
export {
  type Mode,
  type OrderedRule,
  type PermissionOptions,
  type PermissionSettings,
  type PermissionSource,
  type Verdict as PermissionVerdict,
  type Permissions,
  type RuleChoice,
  type RuleLists,
  createPermissions,
  readOnlyCommand,
} from "./verdict/permissions.ts";
export { type By as VerdictBy } from "./verdict/verdict.ts";
