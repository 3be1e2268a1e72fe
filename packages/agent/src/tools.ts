/** The tools that come with Runahead: apart from the rest, so that who brings their own loads none of them. */

export { type AgentDefinition, type AgentToolOptions, agentTool } from "./loop/sub-agent.ts";
export {
  type AskPerson,
  type AskUserOutput,
  type PersonAnswer,
  type PersonAnswers,
  type PersonQuestion,
  askUserTool,
} from "./tools/ask-user.ts";
export { type Reaped, reapOrphans } from "./tools/background-ledger.ts";
export type { JobOutput } from "./tools/background-output.ts";
export type { BashResult } from "./tools/bash.ts";
export { type ShellTools, type ShellToolsOptions, shellTools } from "./tools/bash-tools.ts";
export type { EditOutput } from "./tools/edit.ts";
export type { FileDiff, Hunk } from "./tools/file-diff.ts";
export { FileMemory } from "./tools/file-memory.ts";
export { type FileToolsOptions, fileTools } from "./tools/file-tools.ts";
export type { GlobOutput } from "./tools/glob.ts";
export type { GrepOutput } from "./tools/grep-search.ts";
export type { NotebookEditOutput } from "./tools/notebook-edit.ts";
export type { ReadOutput } from "./tools/read.ts";
export { type McpApprovals, memoryApprovals } from "./mcp/approvals.ts";
export {
  type McpConnections,
  type McpOptions,
  type McpServerStatus,
  connectMcp,
} from "./mcp/connect.ts";
export type { AskBack as McpAskBack, Limits as McpLimits } from "./mcp/open-spec.ts";
export { validateJsonSchema } from "./mcp/validate.ts";
export type { ReadConfinement } from "./tools/background.ts";
export type { SandboxOptions } from "./tools/sandbox.ts";
export type { SandboxNetwork } from "./tools/sandbox-network.ts";
export type { WriteOutput } from "./tools/write.ts";
export { type AiSdkTool, fromAiSdk } from "./tools/from-ai-sdk.ts";
export { type AnthropicTool, fromAnthropicTool } from "./tools/from-anthropic.ts";
export type { AddedMembers } from "./tools/from-content.ts";
export { type AgentTask, type TaskState, type TaskStore, Tasks } from "./tools/tasks-list.ts";
export { type TasksOutput, taskTools } from "./tools/tasks.ts";
export type { AskAboutPage, WebFetchOptions, WebFetchOutput } from "./tools/web-fetch.ts";
export type { WebSearchOptions, WebSearchOutput } from "./tools/web-search.ts";
export {
  type SearchProvider,
  braveSearch,
  exaSearch,
  searchProvider,
  searxngSearch,
  tavilySearch,
} from "./tools/web-search-providers.ts";
export { type WebToolsOptions, webTools } from "./tools/web-tools.ts";
