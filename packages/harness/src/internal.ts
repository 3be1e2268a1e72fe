/** For the `runahead` program only. Changes without notice. */

export { transcriptPath } from "./compose/hooks/transcript.ts";
export { pluginState } from "./plugins/enabled.ts";
export { knownMarketplaces, marketplaceObjection } from "./plugins/marketplaces.ts";
export { agentIn } from "./definitions/agent-file.ts";
export { type PluginSource, marketplaceIn } from "./definitions/marketplace.ts";
export { EFFORT_LEVELS } from "./settings/known-keys.ts";
export { toolMembers } from "./settings/mcp-tools.ts";
export { readText } from "./settings/read.ts";
export { exchangeMcpServer } from "./settings/mcp-scopes.ts";
export { excludeFromGit } from "./settings/git-exclude.ts";
export { cleanUpUnowned } from "./compose/session/retention.ts";
export { limitedSignal } from "@runahead/base";
export { CALLED_NAMES } from "@runahead/permissions/internal";
export { HOOK_EVENTS, KNOWN_MODELS, type RecordedCall, recordedCalls } from "@runahead/agent/internal";
export {
  CorpusError,
  type CorpusReport,
  FixtureError,
  parseCorpus,
  runCorpus,
  KNOWN_TOOL_NAMES,
} from "@runahead/permissions/internal";
export { imagePixels, useNetworkSettings } from "@runahead/tools";
export { priceOf } from "./compose/model/model-price.ts";
