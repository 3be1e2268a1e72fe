/** How a sub-agent's events travel through the executor, to which progress is of any form. */

import type { AgentEvent } from "../loop/event.ts";

/**
 * Report one of these as the progress of a call, and the loop gives its event as an `agent-event`. The built-in Agent
 * tool does so; a tool that runs an agent of its own can do the same.
 *
 * Only instances count: a tool, or a server, that reports data of the same form cannot pose as a sub-agent.
 *
 * @example
 * ```ts
 * for await (const event of query({ model, tools, prompt }))
 *   context.progress(new AgentProgress("reviewer-1", "reviewer", event));
 * ```
 */
export class AgentProgress {
  readonly type = "agent";
  /** Different for each sub-agent of a call. */
  readonly agentId: string;
  /** The kind of sub-agent, as a person reads it. */
  readonly agentType: string;
  /** What happened. */
  readonly event: AgentEvent;

  constructor(agentId: string, agentType: string, event: AgentEvent) {
    this.agentId = agentId;
    this.agentType = agentType;
    this.event = event;
  }
}
