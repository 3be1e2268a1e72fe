/** What a user interface shows of an agent: its turns, its calls and its sub-agents, kept up to date by `reduce`. */

import type { Outcome } from "@runahead/engine";
import type { Judged } from "../gate/auto-turn.ts";
import type { AgentEvent, QueryResult } from "../loop/event.ts";
import type { StopReason, Usage } from "../model/event.ts";

/** An event of one agent. `reduce` unwraps a sub-agent's events from `agent-event`. */
export type OwnEvent = Exclude<AgentEvent, { readonly type: "agent-event" }>;

/** What keeps a call from starting. `judging`: rules and hooks decide. `asking`: the user decides. `waiting`: other calls must end first. */
export type QueueState = "judging" | "asking" | "waiting";

/** A time that a call spent in the queue: why, from and to, in milliseconds. */
export type QueueSpan = readonly [state: QueueState, fromMs: number, toMs: number];

/**
 * The state of a call.
 *
 * - `arriving`: its input is still streaming; `preview()` returns the part that is there.
 * - `arrived`: its input is complete, and the executor has not reported anything about it yet.
 * - `judging`, `asking`, `waiting`: see {@link QueueState}.
 * - `running`: its tool is running.
 * - `ended`: it has its `end` and no longer changes.
 */
export type CallState = "arriving" | "arrived" | QueueState | "running" | "ended";

/** How a call ended, in one word. `stopped`: it ran and was stopped. `not-run`: it never started. */
export type CallEnding = "succeeded" | "failed" | "denied" | "stopped" | "not-run";

/** How a call ended. Every call has exactly one end. */
export interface CallEnd {
  /** The ending in one word. */
  readonly how: CallEnding;
  /**
   * What the executor reported. Undefined for a call without a result: its response was cut off or requested again
   * before its input was complete, or the call that its agent works for has ended.
   */
  readonly outcome: Outcome | undefined;
  /** What the tool returned, for structured results such as a diff; undefined if it did not return. */
  readonly output: unknown;
}

/** One call. The same object from its first event to its end. */
export interface CallView {
  /** The id that the model assigned. Unique within a turn of its agent; some providers reuse ids in later turns. */
  readonly id: string;
  /** The name that the model called. */
  readonly toolName: string;
  /** The agent that made the call. */
  readonly agent: AgentView;
  /** The call that made this call, such as the call of a script; undefined if the model made it. */
  readonly parent: CallView | undefined;
  /** Its current state. */
  readonly state: CallState;
  /** Whether `input` and `description` are known. */
  readonly hasInput: boolean;
  /** The input; undefined until it is complete. */
  readonly input: unknown;
  /**
   * Returns the input as far as it is known. Parses the stream each time, so call it when you draw, not per event. It is
   * the same function until more input arrives.
   */
  readonly preview: () => unknown;
  /** What it does, in one line; empty until the input is complete. */
  readonly description: string;
  /** What auto mode decided about it. */
  readonly judged: Judged | undefined;
  /** What its tool has printed so far: the last 200,000 characters. Empty once it has ended. */
  readonly printed: string;
  /** The last status that its tool reported. */
  readonly status: string;
  /** The last limit of a place or a tool that it waited for; undefined if it waited for none. */
  readonly limit: string | undefined;
  /** When its first event arrived. */
  readonly arrivedMs: number;
  /** When the last event about its input arrived. */
  readonly completeMs: number;
  /** What kept it from starting, in order; at most 16 spans. */
  readonly queue: readonly QueueSpan[];
  /** When its tool started; undefined if it has not started. */
  readonly startedMs: number | undefined;
  /** When it ended; undefined until then. */
  readonly endedMs: number | undefined;
  /** How it ended; undefined until then. */
  readonly end: CallEnd | undefined;
  /** The sub-agents that work or worked for it, by id. */
  readonly agents: ReadonlyMap<string, AgentView>;
  /** The calls that it made, such as those of a script, by id: all that have not ended, and the last 100 that have. */
  readonly calls: ReadonlyMap<string, CallView>;
  /** How many calls it made. */
  readonly madeCalls: number;
  /** How many of the calls that it made have ended without success. */
  readonly failedCalls: number;
}

/** How a turn ended. `cut`: its response broke off. `again`: it was requested again. `open`: it has not ended. */
export type TurnStop = StopReason | "cut" | "again" | "open";

/** One response and its calls. The same object from its first event to its end. */
export interface TurnView {
  /** The agent of the turn. */
  readonly agent: AgentView;
  /** Its number within the prompt, from 1. */
  readonly number: number;
  /** The model's name; empty if the events did not include the beginning of the response. */
  readonly model: string;
  /** The text of the response so far. */
  readonly text: string;
  /** The thinking of the response so far. */
  readonly thinking: string;
  /** Its calls, in the model's order. Calls that a call makes are in the `calls` of that call. */
  readonly calls: ReadonlyMap<string, CallView>;
  /** Those of its calls that have not ended. */
  readonly openCalls: ReadonlyMap<string, CallView>;
  /** When the response was requested, as far as events show it; exact once the turn has ended. */
  readonly requestMs: number;
  /** When the first text, thinking or call arrived. */
  readonly firstContentMs: number | undefined;
  /** When the response was complete; undefined until the turn has ended. */
  readonly responseEndMs: number | undefined;
  /** When the response and all of its calls had ended. */
  readonly endedMs: number | undefined;
  /** How it ended; `open` until then. */
  readonly stop: TurnStop;
  /** The tokens of the response; zero until the turn has ended. */
  readonly usage: Usage;
}

/**
 * One agent: the main agent or a sub-agent. `reduce` updates it in place, so the cost of an event does not depend on the
 * length of the conversation. Do not modify it.
 */
export interface AgentView {
  /** The id of a sub-agent; empty for the main agent. */
  readonly id: string;
  /** The type of a sub-agent; empty for the main agent. */
  readonly agentType: string;
  /** The task of a sub-agent in a few words. */
  readonly description: string;
  /** Whether a sub-agent works in the background: it continues after its call has ended. */
  readonly isBackground: boolean;
  /** Its sub-agents in the background that have not ended, by id. */
  readonly backgroundAgents: ReadonlyMap<string, AgentView>;
  /** The call that a sub-agent works for, or that started it in the background. */
  readonly call: CallView | undefined;
  /** The current turn, or the last one. Earlier turns are not kept: keep their `TurnView` if you show them. */
  readonly turn: TurnView | undefined;
  /** Whether the model is thinking: the last content it sent is thinking. */
  readonly isThinking: boolean;
  /** The number of calls of the model that have a result. */
  readonly settledCalls: number;
  /** The tokens of all turns, without those of sub-agents. */
  readonly usage: Usage;
  /** The tokens of its sub-agents, of all depths. */
  readonly agentsUsage: Usage;
  /** The tokens of auto mode's decisions. */
  readonly judgeUsage: Usage;
  /** The size of the conversation, as of the last response or compaction. */
  readonly contextTokens: number;
  /** The cost of all prompts in US dollars; undefined if the price of a model is unknown. */
  readonly costUsd: number | undefined;
  /** How the last prompt ended; undefined while one is being answered. */
  readonly result: QueryResult | undefined;
}

/**
 * One change of a call.
 *
 * - `began`: the first event about it.
 * - `preview`: more of its input arrived.
 * - `input`: its input is complete.
 * - `state`: its state changed, but it has not ended.
 * - `progress`: its tool printed something or reported a status.
 * - `judged`: auto mode decided about it.
 * - `ended`: it has its end. Reported once per call.
 */
export interface CallChange {
  /** What changed. */
  readonly what: "began" | "preview" | "input" | "state" | "progress" | "judged" | "ended";
  /** The call, with the change already applied. */
  readonly call: CallView;
}

/** What one event changed. */
export interface ViewStep {
  /** The agent of the event: the main agent or a sub-agent. */
  readonly agent: AgentView;
  /** The event itself, unwrapped from `agent-event`. */
  readonly event: OwnEvent;
  /**
   * The changes of calls, in order. The calls of a sub-agent end before the call that it works for, and those of a script
   * before the call that runs it.
   */
  readonly calls: readonly CallChange[];
  /** Turns that began, got their first content, or ended. */
  readonly turns: readonly TurnView[];
}
