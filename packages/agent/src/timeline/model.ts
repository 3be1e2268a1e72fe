/** The data of a timeline: what happened when and, optionally, the beginnings of inputs and outputs. */

import { isShape, wrong } from "@runahead/base";
import type { CallEnding, QueueSpan, TurnStop } from "../view/view.ts";

/** How a call ended. `unfinished`: it was still running when the timeline was made. */
export type CallOutcome = CallEnding | "unfinished";

export const OUTCOMES: readonly CallOutcome[] = [
  "succeeded",
  "failed",
  "denied",
  "stopped",
  "not-run",
  "unfinished",
];

/** One call. Times are milliseconds since the first event; undefined if unknown. */
export interface TimelineCall {
  /** The index of its turn. */
  readonly turn: number;
  /** The index of the call that made it, such as the call of a script; undefined if the model made it. */
  readonly parent?: number;
  readonly toolName: string;
  /** What it does, in one short line. */
  readonly description: string;
  /** When its input began to arrive, and when it was complete. */
  readonly arrivedMs: number;
  readonly completeMs: number;
  /** What kept it from starting, in order. */
  readonly queue: readonly QueueSpan[];
  /** The limit of a place or a tool that it waited for, if it waited for one. */
  readonly limit?: string;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly outcome: CallOutcome;
  /** Why it did not succeed, in a word: `timeout`, `exception`. */
  readonly detail: string;
  /** Undefined unless the recorder keeps content. */
  readonly content: CallContent | undefined;
}

/** The beginnings of a call's input and output. */
export interface CallContent {
  readonly input: string;
  readonly output: string;
}

export interface TimelineTurn {
  /** The index of its agent. */
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

/** An agent. The first one is the main agent; the others are sub-agents. */
export interface TimelineAgent {
  readonly agentType: string;
  /** The index of the call that it works for; undefined for the main agent. */
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
  /** Another process resumed the session. The time between is left out. */
  | { readonly type: "resumed"; readonly date: string }
  | { readonly type: "ended"; readonly reason: string }
);

/** What an agent did and when: agents, turns, calls and marks. */
export interface Timeline extends TimelinePart {
  /** The title to show; can be empty. */
  readonly title: string;
}

/** Throws a TypeError if this is not a timeline. */
export function checkTimeline(timeline: unknown, where: string): void {
  if (!isShape(timeline) || !Array.isArray(timeline["turns"]) || !Array.isArray(timeline["calls"]))
    throw wrong(`${where}: "timeline"`, "what recorder.timeline() or readTimeline() returned", timeline);
}

/** A part of a timeline. Indexes count within the process that recorded it. */
export interface TimelinePart {
  /** The main agent, then its sub-agents in order of their start. */
  readonly agents: readonly TimelineAgent[];
  /** The turns of all agents. */
  readonly turns: readonly TimelineTurn[];
  /** The calls of all turns. */
  readonly calls: readonly TimelineCall[];
  /** Other events: prompts, compactions, retries, the end. */
  readonly marks: readonly TimelineMark[];
  /** When the last event was recorded. */
  readonly endMs: number;
  /** How many calls, turns, agents and marks were not recorded because of the limits. */
  readonly leftOut: number;
}
