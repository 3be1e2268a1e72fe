/** For other packages of this repository only: it changes without notice. */

export { type WorktreeSearch, limitWorktreeSearch } from "./agents/worktree-folder.ts";
export { allDefinitions, limitsOf, offers } from "./agents/definitions.ts";
export { ToolLimits } from "./agents/tool-limits.ts";
export { someFacts } from "./model/check-options.ts";
export { KNOWN_MODELS, factsOf, knownFacts, loweredWindow } from "./model/models.ts";
export { effortOf } from "./model/effort.ts";
export { deferringModel } from "./model/deferred-tools.ts";
export { canSearchTools, noteToolSearch } from "./model/provider-tool-search.ts";
export { WRONG_CALL, searchTool } from "./model/tool-search.ts";
export { passOn } from "./model/reading.ts";
export { costOf } from "./model/price.ts";
export { addUsage } from "./model/token-usage.ts";
export { type RecordedCall, recordedCalls } from "./session/calls.ts";
export { LIMITER_OPTIONS, limiterOn } from "./loop/limiter.ts";
export type { RequestWindow, Taken } from "./loop/request-window.ts";
export { isSummary } from "./loop/summary.ts";
export { HOOK_EVENTS } from "./hooks/event.ts";
export { ANSWER_MEMBERS, HOOK_MEMBERS } from "./hooks/members.ts";
export { parseLine, toLine } from "./session/entry.ts";
export { StoreRefused } from "./session/error.ts";
export { isSessionId } from "./session/id.ts";
export { linesFrom } from "./session/stored-load.ts";
export { changedState } from "./session/state.ts";
export { type ParkedTurn, parkedIn, questionsOf, withAnswer } from "./session/parked.ts";
export type { StoredBatch } from "./session/store-writer.ts";
export { removeOldOutputs } from "./session/stored-outputs.ts";
export { type OpenStoredSession, cleanUpOutputs, openStored } from "./session/stored-sessions.ts";
