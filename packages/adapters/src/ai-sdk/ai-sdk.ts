/** For programs on the AI SDK. */

export {
  type EarlyDeclaration,
  EarlyError,
  type EarlyInputs,
  type EarlyMiddleware,
  type EarlyOptions,
  type EarlyTool,
  early,
  earlyMiddleware,
  stopEarly,
} from "./early.ts";
export type { UiAgent } from "./ui-agents.ts";
export type { UiAgentCall } from "./ui-calls.ts";
export type { UiCalls } from "./ui-scripts.ts";
export type { UiChunk } from "./ui-chunk.ts";
export {
  type UiApproval,
  type UiQuestion,
  type UiStreamOptions,
  toUIMessageStream,
  uiApprovals,
} from "./ui-stream.ts";
