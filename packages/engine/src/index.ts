/** Runahead's engine: runs tool calls while the model is still streaming its response. */

export type { Claim, Place } from "./core/access.ts";
export {
  type ShownResult,
  type ToolCache,
  type ToolCacheOptions,
  type ToolCacheView,
  createToolCache,
} from "./cache/tool-cache.ts";
export type { Access, Blocker, CallRequest, Start, State, Status } from "./core/call.ts";
export {
  type Around,
  type AroundCall,
  type AroundChanges,
  type Next,
  aroundTools,
} from "./runtime/around.ts";
export { type Discarded, type ParkedCall, StreamingToolExecutor } from "./runtime/engine.ts";
export type { JournalEvent, Judgement } from "./core/event.ts";
export { resolveFilePlace } from "./runtime/file-place.ts";
export { type Capacity, type Locks, type LocksOptions, createLocks } from "./runtime/locks.ts";
export { type MemoryJournal, fullJournal, memoryJournal } from "./runtime/memory-journal.ts";
export type { EngineEvent } from "./runtime/notice.ts";
export type { ExecutorOptions } from "./runtime/options.ts";
export type { Update } from "./runtime/outbox.ts";
export type { Cause, Ending, Fault, Outcome, ToolResult } from "./core/outcome.ts";
export { memoryResults } from "./runtime/output.ts";
export type {
  Answer,
  ArrivingCall,
  Ask,
  CallSink,
  CanUseTool,
  Clock,
  FinishedCall,
  HookCall,
  Hooks,
  Journal,
  JudgeContext,
  NestedPermissions,
  PostToolUse,
  PreToolUse,
  Question,
  ResponseEnding,
  Results,
  ValidateJsonSchema,
  Verdict,
} from "./runtime/ports.ts";
export { type ReconcileOptions, reconcileTurn } from "./runtime/reconcile.ts";
export { type Fate, type TurnOptions, recoverTurn } from "./runtime/recover.ts";
export { runTools } from "./runtime/run-tools.ts";
export {
  type AnyTool,
  type CallContext,
  type CheckContext,
  type DocumentSource,
  type ImageSource,
  type InputOf,
  type JsonSchema,
  type ResultBlock,
  type ResultContent,
  type SchemaIssue,
  type AgentIdentity,
  type ReconcileContext,
  type Reconciled,
  type ToolRetry,
  type SharedContext,
  type StampContext,
  type StandardSchema,
  type Tool,
  type ToolDeclarations,
  defineTool,
  describeCall,
} from "./runtime/tool.ts";
export { ToolError } from "./runtime/serialise.ts";
export {
  type AnthropicTool,
  type OpenAiChatTool,
  type OpenAiResponsesTool,
  type OpenAiTools,
  toAnthropicTools,
  toOpenAiTools,
} from "./wire/definitions.ts";
export { anthropicCalls } from "./wire/anthropic.ts";
export { openaiCalls } from "./wire/openai.ts";
export {
  type OpenAiChatResult,
  type OpenAiPart,
  type OpenAiResponsesResult,
  type OpenAiResults,
  toOpenAi,
} from "./wire/to-openai.ts";
