/** For the `runahead` program only. Changes without notice. */

export { marketplaceIn } from "./definitions/plugin-manifest.ts";
export { HOOK_EVENTS, KNOWN_MODELS, type RecordedCall, recordedCalls } from "@runahead/agent/internal";
export {
  CorpusError,
  type CorpusReport,
  FixtureError,
  parseCorpus,
  runCorpus,
} from "@runahead/permissions/internal";
export { imagePixels, useNetworkSettings } from "@runahead/tools";
export { priceOf } from "./compose/model-price.ts";
