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
