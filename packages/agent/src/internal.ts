/** For other packages of this repository only: it changes without notice. */

export { factsOf } from "./model/models.ts";
export { passOn } from "./model/reading.ts";
export { addUsage } from "./model/token-usage.ts";
export { type RecordedCall, recordedCalls } from "./session/calls.ts";
export { isSummary } from "./loop/summary.ts";
export { HOOK_EVENTS } from "./hooks/event.ts";
