/** The events of hooks, their time limits, and what matchers are compared with. */

import type { Shape } from "@runahead/base";

export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "SessionStart",
  "SessionEnd",
  "PreCompact",
  "Notification",
] as const;

/** Names an event that hooks can run for. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

const DEFAULT_LIMIT_MS = 600_000;
const PROMPT_LIMIT_MS = 30_000;
const LONGEST_LIMIT_MS = 3_600_000;
/**
 * The engine waits 600 s for hooks and then continues without them. A hook that blocks on failure must answer before
 * that, including the time to kill it and to store its texts.
 */
const TOOL_LIMIT_MS = 590_000;
const SESSION_END_LIMIT_MS = 1_500;

/** Returns the limit for all hooks of one event together. */
export function eventLimitMs(event: HookEvent): number {
  if (event === "SessionEnd") return SESSION_END_LIMIT_MS;
  return isToolEvent(event) ? TOOL_LIMIT_MS : LONGEST_LIMIT_MS;
}

/** Returns the default limit of one hook. */
export function defaultLimitMs(event: HookEvent): number {
  const limitMs = event === "UserPromptSubmit" ? PROMPT_LIMIT_MS : DEFAULT_LIMIT_MS;
  return Math.min(limitMs, eventLimitMs(event));
}

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
  return HOOK_EVENTS.some((event) => event === name);
}

export function isToolEvent(event: HookEvent): boolean {
  return event === "PreToolUse" || event === "PostToolUse" || event === "PostToolUseFailure";
}

/** Returns whether plain text output is context for the model. */
export function takesText(event: HookEvent): boolean {
  return event === "UserPromptSubmit" || event === "SessionStart";
}

const SUBJECTS: Readonly<Partial<Record<HookEvent, string>>> = {
  PreToolUse: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  SubagentStop: "agent_type",
  SessionStart: "source",
  SessionEnd: "reason",
  PreCompact: "trigger",
  Notification: "notification_type",
};

/** Returns what a matcher is compared with. Empty: every matcher matches. */
export function subjectsOf(event: HookEvent, payload: Shape): readonly string[] {
  const member = SUBJECTS[event];
  const subject = member === undefined ? undefined : payload[member];
  return typeof subject === "string" ? [subject] : [];
}
