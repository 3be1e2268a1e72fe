/** Decides whether a tool call can run: rules, modes, protected places, and shell commands understood as bash understands them. */

export { parseShell } from "./bash/parse.ts";
export { type ShellCommand, type ShellWord } from "./bash/script.ts";
export { readShell } from "./bash/walk.ts";
export { MODE_NAMES } from "./rules/settings.ts";
export { type RuleOfHook, concerns } from "./rules/concerns.ts";
export { type Confinement, clearanceNow, clearanceOf, noteClearance } from "./verdict/clearance.ts";
export { FixtureError } from "./verdict/corpus-fixture.ts";
export {
  type CaseResult,
  type CategoryReport,
  CorpusError,
  type CorpusOptions,
  type CorpusReport,
  type PermissionCase,
  parseCorpus,
  runCorpus,
} from "./verdict/corpus.ts";
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
export { type Verdict, type By as VerdictBy } from "./verdict/verdict.ts";
