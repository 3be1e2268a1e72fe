/** What a UI message shows of a sub-agent: its text, and its calls with their states. */

import { type UiAgentCall, callsAfter } from "./ui-calls.ts";
import type { RunEvent } from "./ui-events.ts";

/** A sub-agent: the data of a `data-agent` part, whose id is the id of the sub-agent. */
export interface UiAgent {
  /** The call that started it. */
  readonly callId: string;
  /** The sub-agent that started it, if it is nested. */
  readonly parent?: string;
  /** The name of its definition. */
  readonly agentType: string;
  /** Its task in a few words. */
  readonly description: string;
  /** The text of its last response so far. */
  readonly text: string;
  /** Its calls, oldest first. */
  readonly calls: readonly UiAgentCall[];
}

export class UiAgents {
  readonly #agents = new Map<string, UiAgent>();

  /** Returns the sub-agent as it is after the event, with its id; undefined if the event changes nothing that is shown. */
  take(
    wrapped: RunEvent & { readonly type: "agent-event" },
    parent?: string,
  ): { readonly id: string; readonly agent: UiAgent } | undefined {
    const { agentId: id, agentType, callId, event } = wrapped;
    if (event.type === "agent-event") return this.take(event, id);
    const nested = parent === undefined ? {} : { parent };
    const before = this.#agents.get(id) ?? {
      callId,
      ...nested,
      agentType,
      description: "",
      text: "",
      calls: [],
    };
    const agent = after(before, event);
    if (agent === before) return undefined;
    this.#agents.set(id, agent);
    return { id, agent };
  }
}

function after(agent: UiAgent, event: RunEvent): UiAgent {
  switch (event.type) {
    case "agent-started":
      return { ...agent, description: event.description };
    case "message-started":
      return agent.text === "" ? agent : { ...agent, text: "" };
    case "text":
      return { ...agent, text: agent.text + event.text };
    case "call-arrived":
    case "call-started":
    case "call-settled":
      return { ...agent, calls: callsAfter(agent.calls, event) };
    default:
      return agent;
  }
}
