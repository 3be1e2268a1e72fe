/** What is known about one sub-agent of a session. */

import type { Usage } from "../model/event.ts";

/**
 * The state of a sub-agent.
 *
 * - `waiting`: the limit of agents at work is reached.
 * - `running`: it works.
 * - `finished`: it ended with an answer.
 * - `failed`: it ended without one: turn limit, budget, an error of its model.
 * - `stopped`: the user, its parent or the end of the session stopped it.
 * - `interrupted`: the program ended while it was at work.
 */
export type AgentState = "waiting" | "running" | "finished" | "failed" | "stopped" | "interrupted";

/** Describes a sub-agent of a session. */
export interface AgentInfo {
  /** Unique within the session, such as `agent-1`; also after the session is continued. */
  readonly id: string;
  /** The name of its definition. */
  readonly type: string;
  /** Its task in a few words. */
  readonly description: string;
  /** The id of the sub-agent that started it; undefined for the main agent. */
  readonly parent: string | undefined;
  /** The id of the call that started it. */
  readonly callId: string;
  /** Whether its caller continues without waiting for it. */
  readonly isBackground: boolean;
  /** Its state. */
  readonly state: AgentState;
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When it ended; undefined before that. */
  readonly endedAt: number | undefined;
  /** What it does now; empty if it has ended. */
  readonly action: string;
  /** The tokens of its own turns. */
  readonly usage: Usage;
  /** What its own turns cost in US dollars; undefined if the price of its model is unknown. */
  readonly costUsd: number | undefined;
  /** How many calls it has made. */
  readonly calls: number;
  /** The files that its calls wrote, as far as their tools declare them. */
  readonly changedFiles: readonly string[];
}
