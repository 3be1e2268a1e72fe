/** Models, the turn loop, sessions, hooks, sub-agents and the timeline of a run, on the Runahead engine. */

export { type AgentInfo, type AgentState } from "./agents/agent-info.ts";
export {
  type AgentDefinition,
  type AgentToolOptions,
  type WorktreeSettings,
  agentTool,
} from "./agents/sub-agent.ts";
export { agentTools } from "./agents/task-tools.ts";
export { type AgentJournal, type AgentJournals } from "./session/agent-journals.ts";
export { type AgentAbout } from "./session/entry.ts";
export type { BackgroundTask, BackgroundTasks } from "@runahead/base";
export { type AgentProgress, createAgentProgress } from "./agents/agent-progress.ts";
export { type Judged } from "./gate/auto-turn.ts";
export {
  type AutoAnswer,
  type AutoJudge,
  type AutoJudgeOptions,
  type AutoQuestion,
  autoJudge,
} from "./gate/auto.ts";
export { type PermissionGate, createPermissionGate } from "./gate/gate.ts";
export type {
  Approvals,
  GateOptions,
  GateSettings,
  GrantedRules,
  PersonAnswer,
  PersonQuestion,
  SessionRules,
} from "./gate/gate-options.ts";
export { type HookEvent, isHookEvent } from "./hooks/event.ts";
export { type ListedHook } from "./hooks/handler.ts";
export { createHooks } from "./hooks/hooks.ts";
export type {
  CompactFacts,
  EventResult,
  HookAbout,
  HookRunner,
  HookTest,
  HooksOptions,
  NotificationFacts,
  PermissionCall,
  StopFacts,
} from "./hooks/hook-runner.ts";
export { type InProcessHook } from "./hooks/in-process.ts";
export { type HookConfig } from "./hooks/load.ts";
export { type PermissionDecision } from "./hooks/permission-request.ts";
export { type HookHelpers, type HookQuestion, type HookToolCall } from "./hooks/remote.ts";
export {
  type Agent,
  type AgentOptions,
  type PromptPlace,
  type SendOptions,
  createAgent,
} from "./loop/agent.ts";
export { PromptTakenBack } from "./loop/error.ts";
export {
  type AgentEvent,
  type EndReason,
  type Prompt,
  type QueryResult,
  type TurnTimings,
} from "./loop/event.ts";
export { type ModelSpent } from "./loop/tally.ts";
export {
  type Budget,
  type CallFacts,
  type LoopOptions,
  type PermissionRules,
  type QueryOptions,
  type RuleVerdict,
} from "./loop/options.ts";
export { type Limiter, type LimiterOptions, type LimiterSpent, createLimiter } from "./loop/limiter.ts";
export { query } from "./loop/query.ts";
export { type NextTurn, type PrepareTurn, type TurnSettings } from "./loop/prepare-turn.ts";
export { type ReminderMoment, type Reminders } from "./loop/reminders.ts";
export { type OutputOf, type OutputSchema, type StructuredOutput } from "./loop/structured-output.ts";
export { type RetryPolicy } from "./loop/retry.ts";
export { type AiSdkModel, type AiSdkOptions, aiSdk } from "./model/ai-sdk.ts";
export { type AnthropicOptions, anthropic } from "./model/anthropic.ts";
export { ModelError, type ModelErrorKind } from "./model/error.ts";
export { type Model, type ModelEvent, type StopReason, type Usage } from "./model/event.ts";
export { type Block, type Message, type ModelRequest, type ToolDefinition } from "./model/message.ts";
export { type Effort, type Thinking, type ThinkingOptions } from "./model/effort.ts";
export { type ModelFacts } from "./model/models.ts";
export { type OpenAiOptions, openai } from "./model/openai.ts";
export { isReminder } from "./loop/notes.ts";
export { type Price } from "./model/price.ts";
export {
  type RecordableEvent,
  type RecordedEvent,
  type Recording,
  type ScriptedTurn,
  record,
  replay,
  scripted,
} from "./model/scripted.ts";
export { type ToolChoice } from "./model/tool-choice.ts";
export { type SearchedTools, type ToolSearchOptions, searchTools, toolSearch } from "./model/tool-search.ts";
export { type CodeVersion, type ProviderCode } from "./model/provider-code.ts";
export { type ProviderPrograms } from "./model/provider-programs.ts";
export { type ProviderSearch } from "./model/web-search.ts";
export { type CleanUpOptions, type CleanedUp, cleanUpSessions } from "./session/clean-up.ts";
export { type FileStoreOptions, fileStore } from "./session/file-store.ts";
export { checkSessionId } from "./session/id.ts";
export { factsOfLines } from "./session/list.ts";
export type {
  AppendBatch,
  DueSession,
  ListOptions,
  LeaseOptions,
  ReadPlace,
  PostMailOptions,
  ReleaseOptions,
  ReleasedSession,
  SessionLease,
  SessionMail,
  SessionStatus,
  SessionStore,
  StoredLine,
} from "./session/store.ts";
export {
  LeaseLost,
  NoSuchSession,
  type SavedPrompt,
  type Session,
  type SessionEntry,
  type SessionState,
  NoSuchQuestion,
  type OpenQuestion,
  type UnreconciledCall,
  type WaitingCall,
  type ParkedTurn,
  SessionExists,
  SessionLocked,
  type SessionSummary,
  SessionTooNew,
  type Sessions,
  type SessionsOptions,
  sessions,
} from "./session/sessions.ts";
export { type ViewOptions, initialView, reduce } from "./view/reduce.ts";
export {
  type AgentView,
  type CallChange,
  type CallEnd,
  type CallEnding,
  type CallState,
  type CallView,
  type OwnEvent,
  type QueueSpan,
  type QueueState,
  type TurnStop,
  type TurnView,
  type ViewStep,
} from "./view/view.ts";
