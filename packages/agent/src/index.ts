/** Runahead's agent: models, and the turn loop, on Runahead's engine. */

export { type Agent, type AgentOptions, type SendOptions, createAgent } from "./loop/agent.ts";
export type { AgentEvent, EndReason, Prompt, QueryResult, TurnTimings } from "./loop/event.ts";
export type { Budget, LoopOptions, PermissionRules, QueryOptions } from "./loop/options.ts";
export { query } from "./loop/query.ts";
export type { RetryPolicy } from "./loop/retry.ts";
export { type AiSdkModel, type AiSdkOptions, aiSdk } from "./model/ai-sdk.ts";
export { type AnthropicOptions, anthropic } from "./model/anthropic.ts";
export { ModelError, type ModelErrorKind } from "./model/error.ts";
export type { Model, ModelEvent, StopReason, Usage } from "./model/event.ts";
export type { Block, Message, ModelRequest, ToolDefinition } from "./model/message.ts";
export { type OpenAiOptions, openai } from "./model/openai.ts";
export type { Price } from "./model/price.ts";
export {
  type RecordableEvent,
  type RecordedEvent,
  type Recording,
  type ScriptedTurn,
  record,
  replay,
  scripted,
} from "./model/scripted.ts";
export {
  NoSuchSession,
  type Session,
  type SessionEntry,
  SessionLocked,
  type SessionSummary,
  SessionTooNew,
  type Sessions,
  type SessionsOptions,
  type SessionUsage,
  sessions,
} from "./session/sessions.ts";
