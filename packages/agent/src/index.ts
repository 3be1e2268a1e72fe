/** Runahead's agent: models, and the turn loop, on Runahead's engine. */

export type { AgentEvent, EndReason, QueryResult, TurnTimings } from "./loop/event.ts";
export { type QueryOptions, query } from "./loop/query.ts";
export type { RetryPolicy } from "./loop/retry.ts";
export { type AnthropicOptions, anthropic } from "./model/anthropic.ts";
export { ModelError, type ModelErrorKind } from "./model/error.ts";
export type { Model, ModelEvent, StopReason, Usage } from "./model/event.ts";
export type { Block, Message, ModelRequest, ToolDefinition } from "./model/message.ts";
export { type OpenAiOptions, openai } from "./model/openai.ts";
export {
  type RecordableEvent,
  type RecordedEvent,
  type Recording,
  type ScriptedTurn,
  record,
  replay,
  scripted,
} from "./model/scripted.ts";
