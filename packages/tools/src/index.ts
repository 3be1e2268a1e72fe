/** The built-in tools: files, search, shell, sandbox, web, notebooks, tasks and language servers. */

export { type AiSdkTool, fromAiSdk } from "./adapted/from-ai-sdk.ts";
export { type AnthropicRunnableTool, fromAnthropicTool } from "./adapted/from-anthropic.ts";
export { type EditOutput } from "./files/edit.ts";
export { type EditorFiles } from "./files/editor-files.ts";
export { type FileDiff, type Hunk } from "./files/file-diff.ts";
export { type EndedCommand } from "./files/change-log.ts";
export { type SavedFile } from "./files/agent-files.ts";
export { type FileMemory, createFileMemory, type SavedFileMemory } from "./files/file-memory.ts";
export { type FileToolsOptions, fileTools } from "./files/file-tools.ts";
export { type PixelRequest, imagePixels } from "./files/image-pixels.ts";
export { type ReadOutput } from "./files/read.ts";
export { type WriteOutput } from "./files/write.ts";
export {
  type LanguageServerStatus,
  type LanguageServers,
  type LanguageServersOptions,
  type WrittenFile,
  createLanguageServers,
} from "./lsp/language-servers.ts";
export { type LanguageServerSpec } from "./lsp/server-spec.ts";
export { type ServerState } from "./lsp/slot.ts";
export { type NotebookEditOutput } from "./notebook/notebook-edit.ts";
export { type SandboxNetwork } from "./sandbox/sandbox-network.ts";
export { type SandboxOptions } from "./sandbox/sandbox-options.ts";
export { type GlobOutput } from "./search/glob.ts";
export { type GrepOutput } from "./search/grep-search.ts";
export { type Reaped, reapOrphans } from "./shell/background-ledger.ts";
export { type EndedJob, type JobOutput } from "./shell/background-output.ts";
export type { ReadConfinement } from "./shell/job.ts";
export { type ShellTools, type ShellToolsOptions, shellTools } from "./shell/bash-tools.ts";
export { type BashResult } from "./shell/bash-call.ts";
export { type ClientTerminal, type ClientTerminals, type TerminalRequest } from "./shell/terminal.ts";
export { type ForegroundCommand, type MovedCommand } from "./shell/foreground.ts";
export {
  type AskUser,
  type AskUserOutput,
  type UserAnswer,
  type UserAnswers,
  type UserQuestion,
  askUserTool,
} from "./tasks/ask-user.ts";
export { type ExitPlanModeOutput, type PlanMode, exitPlanModeTool } from "./tasks/exit-plan-mode.ts";
export {
  type AgentTask,
  type TaskState,
  type TaskStore,
  type Tasks,
  createTasks,
} from "./tasks/tasks-list.ts";
export { type TasksOutput, taskTools } from "./tasks/tasks.ts";
export { useNetworkSettings } from "./web/proxy.ts";
export { type AskAboutPage, type WebFetchOptions, type WebFetchOutput } from "./web/web-fetch.ts";
export {
  type SearchProvider,
  braveSearch,
  exaSearch,
  searchProvider,
  searxngSearch,
  tavilySearch,
} from "./web/web-search-providers.ts";
export { type WebSearchOptions, type WebSearchOutput } from "./web/web-search.ts";
export { type WebToolsOptions, webTools } from "./web/web-tools.ts";
