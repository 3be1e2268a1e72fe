/** What each option of `codingAgent` can be, for callers without types. */

import type { OptionKind } from "@runahead/base";
import { MODE_NAMES } from "../settings/content.ts";
import type { CodingAgentOptions } from "./coding-agent.ts";

export const OPTION_KINDS: Readonly<Record<keyof CodingAgentOptions, OptionKind>> = {
  cwd: "string",
  home: "string",
  env: "object",
  onEvent: "function",
  onNotice: "function",
  askPerson: "function",
  askUser: "function",
  model: "string",
  replay: "string",
  permissionMode: MODE_NAMES,
  dangerouslySkipPermissions: "boolean",
  allowedTools: "strings",
  disallowedTools: "strings",
  tools: "strings",
  addDir: "strings",
  settings: "string",
  settingSources: "string",
  trust: "boolean",
  sandbox: "boolean",
  mcpConfig: "strings",
  strictMcpConfig: "boolean",
  permissionPromptTool: "string",
  bare: "boolean",
  jsonSchema: "string",
  appendSystemPrompt: "string",
  maxTurns: "number",
  maxBudgetUsd: "number",
  sessionId: "string",
  resume: "string",
  continue: "boolean",
  forkSession: "boolean",
  sessionPersistence: "boolean",
};
