/** For programs on the AI SDK. */

export {
  type EarlyDeclaration,
  EarlyError,
  type EarlyOptions,
  type EarlyTool,
  early,
  stopEarly,
} from "./early.ts";
