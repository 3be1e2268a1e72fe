/** Runahead's engine: runs the tools that a model asks for while it is still talking. */

export type { Claim, Place } from "./access.ts";
export type { Access, CallRequest, State, Status } from "./call.ts";
export { type Discarded, StreamingToolExecutor } from "./engine.ts";
export type { JournalEvent, Judgement } from "./event.ts";
export { resolveFilePlace } from "./file-place.ts";
export { type MemoryJournal, fullJournal, memoryJournal } from "./memory-journal.ts";
export type { EngineEvent } from "./notice.ts";
export type { ExecutorOptions } from "./options.ts";
export type { Update } from "./outbox.ts";
export type { Cause, Ending, Fault, Outcome, ToolResult } from "./outcome.ts";
export { memoryResults } from "./output.ts";
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
  Permissions,
  PostToolUse,
  PreToolUse,
  Question,
  ResponseEnding,
  Results,
  ValidateJsonSchema,
  Verdict,
} from "./ports.ts";
export { type Fate, type TurnOptions, recoverTurn } from "./recover.ts";
export { runTools } from "./run-tools.ts";
export {
  type AnyTool,
  type CallContext,
  type CheckContext,
  type InputOf,
  type JsonSchema,
  type ResultBlock,
  type ResultContent,
  type SchemaIssue,
  type SharedContext,
  type StandardSchema,
  type Tool,
  type ToolDeclarations,
  defineTool,
  describeCall,
} from "./tool.ts";
export type { Start } from "./turn.ts";
export { anthropicCalls } from "./wire/anthropic.ts";
export { openaiCalls } from "./wire/openai.ts";
export {
  type OpenAiChatResult,
  type OpenAiPart,
  type OpenAiResponsesResult,
  type OpenAiResults,
  toOpenAi,
} from "./wire/to-openai.ts";
