/** For the program only: it changes without notice. */

export { type RecordedCall, recordedCalls } from "@runahead/agent/internal";
export {
  CorpusError,
  type CorpusReport,
  FixtureError,
  parseCorpus,
  runCorpus,
} from "@runahead/permissions/internal";
