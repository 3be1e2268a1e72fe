/** Run-time checks for the options of `codingAgent`, for callers without types. */

import { type Check, aBoolean, aFunction, aNumberFromZero, aString, anObject, strings } from "@runahead/base";
import { aModeName } from "@runahead/permissions/internal";
import type { CodingAgentOptions } from "./coding-agent.ts";
import { HOST_CHECKS } from "./host.ts";

export const OPTION_CHECKS: Readonly<Record<keyof CodingAgentOptions, Check>> = {
  ...HOST_CHECKS,
  cwd: aString,
  home: aString,
  env: anObject,
  onEvent: aFunction,
  onNotice: aFunction,
  askPerson: aFunction,
  askUser: aFunction,
  model: aString,
  fallbackModel: aString,
  replay: aString,
  permissionMode: aModeName,
  dangerouslySkipPermissions: aBoolean,
  allowedTools: strings,
  disallowedTools: strings,
  tools: strings,
  addDir: strings,
  settings: aString,
  settingSources: aString,
  trust: aBoolean,
  sandbox: aBoolean,
  mcpConfig: strings,
  strictMcpConfig: aBoolean,
  permissionPromptTool: aString,
  bare: aBoolean,
  jsonSchema: aString,
  appendSystemPrompt: aString,
  maxTurns: aNumberFromZero,
  maxBudgetUsd: aNumberFromZero,
  sessionId: aString,
  resume: aString,
  continue: aBoolean,
  forkSession: aBoolean,
  sessionPersistence: aBoolean,
};
