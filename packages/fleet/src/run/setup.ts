/** The types of the function that creates the agent of a session for a worker. */

import type { Agent, AgentOptions, Session } from "@runahead/agent";

/** The session that a worker is about to run. */
export interface AgentRunFacts {
  /** The session, open for writing. */
  readonly session: Session;
  /** The tenant that the session belongs to. */
  readonly tenant: string;
  /** The W3C traceparent of the request that caused the run, if it had one. */
  readonly trace?: string;
  /**
   * Creates the agent from options. Use it to hold on to the agent before the run, and return the agent as
   * {@link AgentInRun}. Call it once.
   */
  readonly createAgent: (options: AgentSetup) => Agent;
}

/** The options of the agent that runs a session. The worker itself sets the missing ones, such as `session`. */
export interface AgentSetup extends Omit<AgentOptions, "session" | "ask" | "retry" | "waitsForBackground"> {
  /** Called when the run has ended and the agent is closed, for example to close connections. */
  readonly onClosed?: () => void | Promise<void>;
}

/** An agent that was created with `facts.createAgent`. */
export interface AgentInRun {
  /** The agent. */
  readonly agent: Agent;
  /** Called when the run has ended and the agent is closed, for example to close connections. */
  readonly onClosed?: () => void | Promise<void>;
}

/** Returns the options of the agent for a session, or the agent itself. Called at the beginning of each run. */
export type MakeAgent = (facts: AgentRunFacts) => AgentSetup | AgentInRun | Promise<AgentSetup | AgentInRun>;
