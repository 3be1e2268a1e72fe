/** The events of hooks, their time limits, and what matchers are compared with. */

import { basename } from "node:path";
import { type Shape, stringOf } from "@runahead/base";

export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "SessionStart",
  "SessionEnd",
  "Setup",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "Notification",
  "MessageDisplay",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "InstructionsLoaded",
  "ConfigChange",
  "CwdChanged",
  "DirectoryAdded",
  "FileChanged",
  "WorktreeCreate",
  "WorktreeRemove",
  "Elicitation",
  "ElicitationResult",
] as const;

/** Names an event that hooks can run for. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

const DEFAULT_LIMIT_MS = 600_000;
const PROMPT_LIMIT_MS = 30_000;
const DISPLAY_LIMIT_MS = 10_000;
export const LONGEST_LIMIT_MS = 3_600_000;
/**
 * The engine waits 600 s for hooks and then continues without them. A hook that blocks on failure must answer before
 * that, including the time to kill it and to store its texts.
 */
const TOOL_LIMIT_MS = 590_000;
/** The program waits for these hooks when it ends, so only a hook that asks for more time gets it. */
const SESSION_END_DEFAULT_MS = 1_500;
const SESSION_END_LIMIT_MS = 60_000;
/** Defaults of hooks that ask a model. */
const MODEL_LIMIT_MS = { prompt: 30_000, agent: 60_000 } as const;

/** Returns the limit for all hooks of one event together. */
export function eventLimitMs(event: HookEvent): number {
  if (event === "SessionEnd") return SESSION_END_LIMIT_MS;
  return isToolEvent(event) ? TOOL_LIMIT_MS : LONGEST_LIMIT_MS;
}

/** Returns the default limit of one hook. */
export function defaultLimitMs(event: HookEvent, type = "command"): number {
  if (event === "SessionEnd") return SESSION_END_DEFAULT_MS;
  if (type === "prompt" || type === "agent") return MODEL_LIMIT_MS[type];
  if (event === "MessageDisplay") return DISPLAY_LIMIT_MS;
  const limitMs = event === "UserPromptSubmit" ? PROMPT_LIMIT_MS : DEFAULT_LIMIT_MS;
  return Math.min(limitMs, eventLimitMs(event));
}

const KNOWN: ReadonlySet<string> = new Set(HOOK_EVENTS);

/**
 * Returns whether hooks can run for an event of this name.
 *
 * @example
 * ```ts
 * import { isHookEvent } from "@runahead/agent";
 *
 * console.log(isHookEvent("PreToolUse"), isHookEvent("pretooluse")); // true false
 * ```
 */
export function isHookEvent(name: string): name is HookEvent {
  return KNOWN.has(name);
}

/** The event whose name differs only in case and separators, such as `preToolUse`, or the name itself. */
export function eventNamed(name: string): string {
  const plain = (one: string): string => one.toLowerCase().replaceAll(/[-_\s]/g, "");
  return HOOK_EVENTS.find((event) => plain(event) === plain(name)) ?? name;
}

const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
]);

/** Returns whether the engine waits for the hooks of this event. */
export function isToolEvent(event: HookEvent): boolean {
  return TOOL_EVENTS.has(event);
}

/** Returns whether the event is about one call, so that `if` applies. */
export function isAboutCall(event: HookEvent): boolean {
  return isToolEvent(event) || event === "PermissionRequest" || event === "PermissionDenied";
}

/** WorktreeCreate hooks print the path of the worktree. */
const TEXT_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "Setup",
  "WorktreeCreate",
]);

/** Returns whether plain text output is an answer: context for the model, or the path of a worktree. */
export function takesText(event: HookEvent): boolean {
  return TEXT_EVENTS.has(event);
}

const ENVIRONMENT_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "SessionStart",
  "Setup",
  "CwdChanged",
  "FileChanged",
]);

/** Returns whether commands of this event can set variables for later shell commands in `CLAUDE_ENV_FILE`. */
export function setsEnvironment(event: HookEvent): boolean {
  return ENVIRONMENT_EVENTS.has(event);
}

const SUBJECTS: Readonly<Partial<Record<HookEvent, string>>> = {
  PreToolUse: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  PermissionRequest: "tool_name",
  PermissionDenied: "tool_name",
  UserPromptExpansion: "command_name",
  StopFailure: "error",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  SessionStart: "source",
  SessionEnd: "reason",
  Setup: "trigger",
  PreCompact: "trigger",
  PostCompact: "trigger",
  PreModelSwitch: "source",
  PostModelSwitch: "source",
  Notification: "notification_type",
  InstructionsLoaded: "load_reason",
  ConfigChange: "source",
  DirectoryAdded: "source",
  Elicitation: "mcp_server_name",
  ElicitationResult: "mcp_server_name",
};

/** Returns what a matcher is compared with. Empty: every matcher matches. */
export function subjectsOf(event: HookEvent, payload: Shape): readonly string[] {
  if (event === "FileChanged") return [basename(stringOf(payload["file_path"], ""))];
  const member = SUBJECTS[event];
  const subject = member === undefined ? undefined : payload[member];
  return typeof subject === "string" ? [subject] : [];
}
