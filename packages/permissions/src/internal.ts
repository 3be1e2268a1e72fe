/** For other packages of Runahead. Not a public API: it can change in any release. */

export { type RuleOfHook, concerns } from "./rules/concerns.ts";
export { aModeName } from "./rules/check-mode.ts";
export {
  CALLED_NAMES,
  KNOWN_TOOL_NAMES,
  canonicalTool,
  equivalentTools,
  isKnownTool,
  withKnownCase,
} from "./rules/tools.ts";
export { type Clearance, clearanceNow, clearanceOf, noteClearance } from "./verdict/clearance.ts";
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
export { isAction } from "./rules/rule.ts";
