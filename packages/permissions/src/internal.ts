/** For other packages of Runahead. Not a public API: it can change in any release. */

export { concerns } from "./rules/concerns.ts";
export { aModeName } from "./rules/check-mode.ts";
export {
  CALLED_NAMES,
  KNOWN_TOOL_NAMES,
  canonicalTool,
  equivalentTools,
  isKnownTool,
  withKnownCase,
} from "./rules/tools.ts";
export { clearanceNow, clearanceOf, noteClearance } from "./verdict/clearance.ts";
export { FixtureError } from "./verdict/corpus-fixture.ts";
export { CorpusError, type CorpusReport, parseCorpus, runCorpus } from "./verdict/corpus.ts";
export { isAction } from "./rules/rule.ts";
