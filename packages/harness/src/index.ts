/** The whole coding agent as a library: settings, trust, permissions, hooks, tools, MCP, sub-agents, sessions and snapshots. */

export { NoModel, UsageError } from "./compose/error.ts";
export type { HarnessOptions } from "./compose/options.ts";
export type { Surroundings } from "./surroundings.ts";
export {
  type CodingAgent,
  type CodingAgentOptions,
  type Listeners,
  codingAgent,
  previewPrompt,
  runSetupHooks,
} from "./compose/coding-agent.ts";
export { type ListedModels, listModels, modelFacts } from "./compose/model/model-list.ts";
export { type HostMcpServer, type HostParts } from "./compose/host.ts";
export { type McpServerChanges, type WantedMcpServers } from "./compose/mcp/dynamic-servers.ts";
export {
  ignoredUpdates,
  permissionSuggestions,
  personAnswer,
} from "./compose/permissions/permission-answer.ts";
export { confinesReadsHere, isSandboxed } from "./compose/permissions/sandbox.ts";
export { settingsOptions } from "./compose/settings-flags.ts";
export { type Schema, schemaOf } from "./compose/structured.ts";
export { type PromptPart, type PromptReport } from "./prompt/report.ts";
export { runaheadHome } from "./home.ts";
export { type ForeignSearch, foreignSessions } from "./import/find.ts";
export { type ForeignAgent, type ForeignSession, type SkippedLine } from "./import/foreign.ts";
export { type ImportOptions, type ImportedSession, importSession } from "./import/import-session.ts";
export { type Instruction, type Instructions, instructions } from "./instructions/instructions.ts";
export { type ConditionalRule } from "./instructions/rules.ts";
export { type PromptFile } from "./definitions/prompt-file.ts";
export { type MoreFolders, type PromptFiles, promptFiles } from "./definitions/prompt-files.ts";
export { type DefinitionFolder } from "./settings/agents.ts";
export { type ExpandedPrompt, type LibraryParts, type PromptLibrary } from "./skills/library.ts";
export { type Plugin, readPlugin } from "./definitions/plugin.ts";
export { type InstalledPlugin, type PluginStore, pluginStore } from "./plugins/store.ts";
export { type AgentFile } from "./definitions/agent-file.ts";
export { type DefinedAgent, type DefinedAgents, definedAgents } from "./settings/agents.ts";
export { NotSaved } from "./settings/error.ts";
export { ruleNotes } from "./settings/rule-notes.ts";
export { type ExplainedValue, type Explanation, explain as explainSettings } from "./settings/explain.ts";
export { loadSettings } from "./settings/load.ts";
export { type HookSource, type LoadedSettings, type RuleSource } from "./settings/loaded.ts";
export { type KeptApprovals, mcpApprovals } from "./settings/mcp-approvals.ts";
export {
  type McpCredentialsOptions,
  type StoredMcpCredentials,
  mcpCredentials,
} from "./settings/mcp-credentials.ts";
export {
  type McpScope,
  type ScopedMcpServer,
  type ScopedMcpServers,
  changeMcpServer,
  scopedMcpServers,
} from "./settings/mcp-scopes.ts";
export { type McpServers, mcpServers, mcpServersIn } from "./settings/mcp.ts";
export { type SettingsOptions, protectedPaths } from "./settings/place.ts";
export { type SandboxSettings } from "./settings/sandbox.ts";
export { saveRule } from "./settings/save.ts";
export { type RuleInFile, removeRule, saveSetting } from "./settings/save-setting.ts";
export { type SettingsWatch, watchSettings } from "./settings/watch.ts";
export {
  type ChangesResult,
  type LeftOut,
  type RestoreResult,
  type InterruptedRestore,
  type SnapshotLimits,
  type SnapshotOptions,
  type TakeResult,
  type WorkspaceChanges,
  type WorkspaceSnapshots,
  workspaceSnapshots,
} from "./snapshots/snapshots.ts";
export { startMessages } from "./settings/start-messages.ts";
export { acceptedByTrust } from "./trust/accepted.ts";
export { type Trust, trustIn } from "./trust/trust.ts";
export {
  type Agent,
  type AgentInfo,
  type AgentEvent,
  type AgentView,
  type Block,
  type CallChange,
  type CallView,
  type EndReason,
  type HookRunner,
  type SessionStore,
  fileStore,
  type ListedHook,
  type Message,
  NoSuchSession,
  type OpenQuestion,
  type PermissionGate,
  createPermissionGate,
  type PersonAnswer,
  type PersonQuestion,
  type Prompt,
  type PromptPlace,
  PromptTakenBack,
  type QueryResult,
  type RecordedEvent,
  type Recording,
  SessionExists,
  SessionLocked,
  type SessionSummary,
  SessionTooNew,
  type TurnView,
  type Usage,
  type ViewStep,
  createAgent,
  createHooks,
  initialView,
  isHookEvent,
  isReminder,
  reduce,
  scripted,
  sessions,
} from "@runahead/agent";
export { ownGit, withoutOwnKeys } from "@runahead/base";
export { type McpServer, loginMcp, validateJsonSchema } from "@runahead/mcp";
export {
  type Mode,
  PERMISSION_MODES,
  type PermissionVerdict,
  type RuleChoice,
  type VerdictBy,
  createPermissions,
  permissionMode,
  readOnlyCommand,
} from "@runahead/permissions";
export {
  type AgentTask,
  type AskUser,
  type FileDiff,
  type Hunk,
  type TasksOutput,
  fileTools,
  reapOrphans,
  shellTools,
} from "@runahead/tools";
