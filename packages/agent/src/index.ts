/** Runahead's agent: models, the turn loop, sessions, settings, permissions and hooks, on Runahead's engine. */

export type { HookEvent } from "./hooks/event.ts";
export { isHookEvent } from "./hooks/event.ts";
export type { ListedHook } from "./hooks/handler.ts";
export {
  type CompactFacts,
  type EventResult,
  type HookRunner,
  type HooksOptions,
  type HookTest,
  type NotificationFacts,
  type StopFacts,
  createHooks,
} from "./hooks/hooks.ts";
export type { InProcessHook } from "./hooks/in-process.ts";
export type { HookConfig } from "./hooks/load.ts";
export {
  type Agent,
  type AgentOptions,
  type PromptPlace,
  type SendOptions,
  createAgent,
} from "./loop/agent.ts";
export {
  type AutoAnswer,
  type AutoJudge,
  type AutoJudgeOptions,
  type AutoQuestion,
  autoJudge,
} from "./loop/auto.ts";
export type { AgentEvent, EndReason, Prompt, QueryResult, TurnTimings } from "./loop/event.ts";
export {
  type Approvals,
  type GateOptions,
  type GateSettings,
  PermissionGate,
  type PersonAnswer,
  type PersonQuestion,
} from "./loop/gate.ts";
export type { Judged } from "./loop/auto-turn.ts";
export type {
  Budget,
  CallFacts,
  LoopOptions,
  PermissionRules,
  QueryOptions,
  RuleVerdict,
} from "./loop/options.ts";
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
export type { ProviderSearch } from "./model/web-search.ts";
export { type RuleOfHook, concerns } from "./permission/concerns.ts";
export {
  CorpusError,
  type CaseResult,
  type CategoryReport,
  type CorpusOptions,
  type CorpusReport,
  type PermissionCase,
  parseCorpus,
  runCorpus,
} from "./permission/corpus.ts";
export { FixtureError } from "./permission/corpus-fixture.ts";
export {
  type Mode,
  type OrderedRule,
  type PermissionOptions,
  type Permissions,
  type PermissionSettings,
  type RuleChoice,
  type RuleLists,
  type Verdict as PermissionVerdict,
  createPermissions,
  readOnlyCommand,
} from "./permission/permissions.ts";
export type { By as VerdictBy } from "./permission/verdict.ts";
export { type RecordedCall, type RecordedVerdict, recordedCalls } from "./session/calls.ts";
export {
  NoSuchSession,
  type SavedPrompt,
  type Session,
  type SessionEntry,
  SessionExists,
  SessionLocked,
  type SessionSummary,
  SessionTooNew,
  type Sessions,
  type SessionsOptions,
  sessions,
} from "./session/sessions.ts";
export { type DefinedAgent, type DefinedAgents, definedAgents } from "./settings/agents.ts";
export { NotSaved } from "./settings/error.ts";
export { type ExplainedValue, type Explanation, explain as explainSettings } from "./settings/explain.ts";
export { type Instruction, type Instructions, instructions } from "./settings/instructions.ts";
export { loadSettings } from "./settings/load.ts";
export type { HookSource, LoadedSettings, PermissionSource } from "./settings/loaded.ts";
export { type McpServers, mcpServers, mcpServersIn } from "./settings/mcp.ts";
export { type KeptApprovals, mcpApprovals } from "./settings/mcp-approvals.ts";
export { type SettingsOptions, protectedPaths } from "./settings/place.ts";
export type { SandboxSettings } from "./settings/sandbox.ts";
export { saveRule } from "./settings/save.ts";
export { type Trust, trustIn } from "./settings/trust.ts";
export { type SettingsWatch, watchSettings } from "./settings/watch.ts";
export { ownGit } from "./system/own-git.ts";
export { withoutOwnKeys } from "./system/own-keys.ts";
export {
  type ChangesResult,
  type LeftOut,
  type RestoreResult,
  type SnapshotLimits,
  type SnapshotOptions,
  type TakeResult,
  type WorkspaceChanges,
  type WorkspaceSnapshots,
  workspaceSnapshots,
} from "./snapshot/snapshots.ts";
export type { FoundMcpServer, McpServer } from "./system/mcp-server.ts";
export { addUsage } from "./system/usage.ts";
