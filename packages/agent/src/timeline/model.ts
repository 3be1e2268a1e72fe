/** What is kept of a session for its picture: when what happened; of inputs and outputs a beginning, where it is wanted. */

import type { CallEnding, QueueSpan, TurnStop } from "../view/view.ts";

/** How it ended; `unfinished`: it had not ended when the timeline was made. */
export type CallOutcome = CallEnding | "unfinished";

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
  /** What kept it from starting, as it was told, one after the other. */
  readonly queue: readonly QueueSpan[];
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly outcome: CallOutcome;
  /** Why it did not succeed, in a word: `timeout`, `exception`. */
  readonly detail: string;
  /** Undefined where it is not to be shown. */
  readonly content: CallContent | undefined;
}

/** The beginnings of what went into a call and came out of it. */
export interface CallContent {
  readonly input: string;
  readonly output: string;
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
  readonly stop: TurnStop;
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
  /** Another run of the program goes on with the session; the time between is left out. */
  | { readonly type: "resumed"; readonly date: string }
  | { readonly type: "ended"; readonly reason: string }
);

/** What ran when: agents, turns, calls and marks. */
export interface Timeline extends TimelinePart {
  /** Title for people; can be empty. */
  readonly title: string;
}

/** Places are counted within the run of the program that it is a part of. */
export interface TimelinePart {
  /** The agent, then its sub-agents in the order in which they began. */
  readonly agents: readonly TimelineAgent[];
  /** The turns of all agents. */
  readonly turns: readonly TimelineTurn[];
  /** The calls of all turns. */
  readonly calls: readonly TimelineCall[];
  /** Other events: prompts, compactions, retries, the end. */
  readonly marks: readonly TimelineMark[];
  /** When the last event was recorded. */
  readonly endMs: number;
  /** How many calls, turns, agents and marks are missing because they were above the limits. */
  readonly leftOut: number;
}
