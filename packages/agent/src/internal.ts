/** For other packages of this repository only: it changes without notice. */

export { addUsage } from "./model/token-usage.ts";
export { type RecordedCall, recordedCalls } from "./session/calls.ts";
export { HOOK_EVENTS } from "./hooks/event.ts";
