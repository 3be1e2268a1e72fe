/**
 * Connects a tool with the agent that uses it. A tool object can be shared by many agents, so the loop replaces a tool that
 * starts or reaches sub-agents by one that belongs to its own agent before each turn.
 */

import type { AnyTool } from "@runahead/engine";
import type { AgentTree } from "./agent-tree.ts";
import type { Presence } from "./presence.ts";

/** An agent of a session: the main agent or a sub-agent. */
export interface Member {
  readonly tree: AgentTree;
  /** The id of a sub-agent; undefined for the main agent. */
  readonly id: string | undefined;
  /** The type of a sub-agent; `main` for the main agent. */
  readonly type: string;
  /** 0 for the main agent. */
  readonly depth: number;
  /** Undefined for the main agent, which does not count as an agent at work. */
  readonly presence: Presence | undefined;
}

type Bind = (member: Member) => AnyTool;

const binders = new WeakMap<AnyTool, Bind>();
const bound = new WeakMap<Member, Map<AnyTool, AnyTool>>();

/** Makes a tool whose `bind` returns the tool of one agent. */
export function bindable(tool: AnyTool, bind: Bind): AnyTool {
  binders.set(tool, bind);
  return tool;
}

/** Returns the tools with those that can be bound replaced by this agent's own. */
export function boundTo(tools: readonly AnyTool[], member: Member): readonly AnyTool[] {
  if (!tools.some((tool) => binders.has(tool))) return tools;
  const own = bound.get(member) ?? new Map<AnyTool, AnyTool>();
  bound.set(member, own);
  return tools.map((tool) => {
    const bind = binders.get(tool);
    if (bind === undefined) return tool;
    const made = own.get(tool) ?? bind(member);
    own.set(tool, made);
    return made;
  });
}
