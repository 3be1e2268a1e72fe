/** What a worker needs to know about the agents that it runs. */

import type { Agent, AgentOptions, Session } from "@runahead/agent";

/** The session that a worker is about to run. */
export interface AgentRunFacts {
  /** The session, open for writing. */
  readonly session: Session;
  /** Its tenant. */
  readonly tenant: string;
  /** The W3C traceparent of the request that caused the run, if it had one. */
  readonly trace?: string;
  /** Creates the agent. Use it to return a ready agent instead of its options; call it once. */
  readonly createAgent: (options: AgentSetup) => Agent;
}

/** The options of the agent that runs a session, and what to do when it has ended. */
export interface AgentSetup extends Omit<AgentOptions, "session" | "ask" | "retry" | "waitsForBackground"> {
  /** Called when the run has ended, such as to close connections. */
  readonly onClosed?: () => void | Promise<void>;
}

/** An agent that was created with `facts.createAgent`, and what to do when it has ended. */
export interface AgentInRun {
  /** The agent. */
  readonly agent: Agent;
  /** Called when the run has ended, such as to close connections. */
  readonly onClosed?: () => void | Promise<void>;
}

/** Returns the model, the tools and the other options for a session. Called at the beginning of each run. */
export type MakeAgent = (facts: AgentRunFacts) => AgentSetup | AgentInRun | Promise<AgentSetup | AgentInRun>;
