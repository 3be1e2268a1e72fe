/** Run-time checks for the options of `createHooks`, for callers without types. */

import {
  type Check,
  aBoolean,
  aFunction,
  aString,
  anArray,
  anObject,
  anything,
  required,
} from "@runahead/base";
import type { HooksOptions } from "./hook-runner.ts";
import type { HookConfig } from "./load.ts";

export const HOOKS_OPTIONS: Readonly<Record<keyof HooksOptions, Check>> = {
  configs: required(anArray),
  inProcess: anArray,
  projectDir: required(aString),
  toolNames: anArray,
  env: required(anObject),
  onNotice: required(aFunction),
  matchesRule: aFunction,
  store: aFunction,
  envFile: aString,
  onEnvFile: aFunction,
  onEvent: aFunction,
  onStatus: aFunction,
  onRewake: aFunction,
  onWatchPaths: aFunction,
  askModel: aFunction,
  callMcpTool: aFunction,
  sessionId: required(aString),
  transcriptPath: required(aString),
  cwd: required(aString),
  permissionMode: required(aFunction),
  agentType: aFunction,
  startSource: aString,
  endReason: aFunction,
  model: aFunction,
  backgroundTasks: aFunction,
  task: aFunction,
  subAgent: aFunction,
  asksDeferred: aBoolean,
  effort: aFunction,
  mcpServer: aFunction,
  agentTranscript: aFunction,
  onReloadSkills: aFunction,
  onTerminalSequence: aFunction,
};
export const HOOKS_CONFIG: Readonly<Record<keyof HookConfig, Check>> = {
  source: required(aString),
  root: required(aString),
  trusted: required(aBoolean),
  hooks: anything,
  env: anObject,
};
