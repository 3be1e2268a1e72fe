/** What is kept of a session for its picture: when what happened, and nothing of what was read, written or said. */

import type { StopReason } from "@runahead/agent";

/** `stopped`: it ran and was stopped. `not-run`: it never started. `unfinished`: it had not ended when we looked. */
export type CallOutcome = "succeeded" | "failed" | "denied" | "stopped" | "not-run" | "unfinished";

export const OUTCOMES: readonly CallOutcome[] = [
  "succeeded",
  "failed",
  "denied",
  "stopped",
  "not-run",
  "unfinished",
];

/** Times are milliseconds since the first thing that happened; those that are not known are undefined. */
export interface TimelineCall {
  /** Its place among the turns. */
  readonly turn: number;
  readonly toolName: string;
  /** One short line. */
  readonly description: string;
  /** The first and the last that came of its input. */
  readonly arrivedMs: number;
  readonly completeMs: number;
  /** When a person was first asked, and last answered. */
  readonly askedMs: number | undefined;
  readonly answeredMs: number | undefined;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly outcome: CallOutcome;
  /** Why it did not succeed, in a word: `timeout`, `exception`. */
  readonly detail: string;
}

export interface TimelineTurn {
  /** Its place among the agents. */
  readonly agent: number;
  readonly number: number;
  readonly model: string;
  readonly requestMs: number;
  readonly firstContentMs: number | undefined;
  readonly responseEndMs: number | undefined;
  readonly endedMs: number | undefined;
  /** `again`: it was asked for anew. `open`: it had not ended when we looked. */
  readonly stop: StopReason | "cut" | "again" | "open";
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The first is the one that people talk to; the others work for a call. */
export interface TimelineAgent {
  readonly agentType: string;
  /** Its place among the calls; undefined for the first. */
  readonly call: number | undefined;
}

export type TimelineMark = { readonly agent: number; readonly atMs: number } & (
  | { readonly type: "retry"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | {
      readonly type: "compacted";
      readonly how: string;
      readonly beforeTokens: number;
      readonly afterTokens: number;
    }
  | { readonly type: "prompt" }
  | { readonly type: "ended"; readonly reason: string }
);

export interface Timeline {
  readonly title: string;
  readonly agents: readonly TimelineAgent[];
  readonly turns: readonly TimelineTurn[];
  readonly calls: readonly TimelineCall[];
  readonly marks: readonly TimelineMark[];
  /** When the last thing was heard. */
  readonly endMs: number;
  /** How many calls, turns, agents and marks were above the limits, and are missing. */
  readonly leftOut: number;
}
