/** For other packages of this repository only: it changes without notice. */

export { MODE_NAMES } from "./rules/settings.ts";
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
