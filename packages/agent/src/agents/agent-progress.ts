/** Carries a sub-agent's events through the executor as progress of its call. */

import type { AgentEvent } from "../loop/event.ts";

/**
 * Wraps an event of a sub-agent. Report it as progress of a call, and the loop emits the event as an `agent-event`.
 * The built-in Agent tool does this; a custom tool that runs an agent can do the same.
 *
 * Only instances of this class count, so a tool or server that reports data of the same shape cannot pose as a
 * sub-agent.
 */
export class AgentProgress {
  /** Always `agent`. */
  readonly type = "agent";
  /** The id of the sub-agent; unique within its call. */
  readonly agentId: string;
  /** The type of the sub-agent, for display. */
  readonly agentType: string;
  /** The event. */
  readonly event: AgentEvent;

  constructor(agentId: string, agentType: string, event: AgentEvent) {
    this.agentId = agentId;
    this.agentType = agentType;
    this.event = event;
  }
}

/**
 * Wraps an event of a sub-agent, to be reported as progress of the call that runs it.
 *
 * @example
 * ```ts
 * for await (const event of query({ model, tools, prompt }))
 *   context.progress(createAgentProgress("reviewer-1", "reviewer", event));
 * ```
 */
export function createAgentProgress(agentId: string, agentType: string, event: AgentEvent): AgentProgress {
  return new AgentProgress(agentId, agentType, event);
}
