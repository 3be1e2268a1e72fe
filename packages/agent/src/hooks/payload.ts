/** The input of hooks: one JSON object. Scripts depend on its members. */

import { isAbsolute, resolve } from "node:path";
import type { HookEvent } from "./event.ts";
import { type Shape, isShape } from "@runahead/base";

/** The sub-agent that an event is about. */
export interface HookAgent {
  readonly id: string;
  readonly type: string;
  /** Whether its caller does not wait for it. Default: false. */
  readonly isBackground?: boolean;
  /** How much effort its model makes. Default: that of the main agent. */
  readonly effort?: string;
}

/** Facts about the session, read at each event. */
export interface SessionFacts {
  /** The id of the session; empty without one. */
  readonly sessionId: string;
  /** The path of the journal; empty without one. */
  readonly transcriptPath: string;
  /** The folder in which the session began. */
  readonly cwd: string;
  /** Returns the current permission mode. */
  readonly permissionMode: () => string;
  /** The definition that the main agent works as. Default: none. */
  readonly agentType?: () => string | undefined;
  /** Returns the level of effort of the main agent's model. Default: none, so that events do not have it. */
  readonly effort?: () => string | undefined;
}

export interface About {
  readonly event: HookEvent;
  readonly promptId: string | undefined;
  readonly agent: HookAgent | undefined;
  readonly cwd: string;
  readonly facts: Shape;
}

export function payloadOf(session: SessionFacts, { event, promptId, agent, cwd, facts }: About): Shape {
  return {
    session_id: session.sessionId,
    ...(promptId === undefined ? {} : { prompt_id: promptId }),
    transcript_path: session.transcriptPath,
    cwd,
    permission_mode: session.permissionMode(),
    ...agentFacts(session, agent),
    ...effortFacts(session, event, agent),
    hook_event_name: event,
    ...facts,
  };
}

function agentFacts({ agentType }: SessionFacts, agent: HookAgent | undefined): Shape {
  if (agent !== undefined) return { agent_id: agent.id, agent_type: agent.type };
  const type = agentType?.();
  return type === undefined ? {} : { agent_type: type };
}

/** Events while a model works. Those of the session have no level. */
const WORK_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "PermissionDenied",
  "TaskCreated",
  "TaskCompleted",
  "Stop",
  "SubagentStop",
]);

function effortFacts({ effort }: SessionFacts, event: HookEvent, agent: HookAgent | undefined): Shape {
  const level = WORK_EVENTS.has(event) ? (agent?.effort ?? effort?.()) : undefined;
  return level === undefined ? {} : { effort: { level } };
}

const PATHS = ["file_path", "notebook_path", "path"];

/** Makes file paths absolute, so that a guard does not depend on the working directory. */
export function withAbsolutePaths(toolName: string, input: unknown, cwd: string): unknown {
  if (!isShape(input) || toolName.startsWith("mcp__")) return input;
  const relative = Object.entries(input).filter(([name, path]) => PATHS.includes(name) && isRelative(path));
  if (relative.length === 0) return input;
  return {
    ...input,
    ...Object.fromEntries(relative.map(([name, path]) => [name, resolve(cwd, String(path))])),
  };
}

/** A path with `~` is left to the tool. */
function isRelative(path: unknown): boolean {
  return typeof path === "string" && path !== "" && !isAbsolute(path) && !/^~(?:\/|$)/.test(path);
}
