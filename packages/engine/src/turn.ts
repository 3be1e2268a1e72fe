/** The state of one turn, as the core keeps it, and what it asks the shell to do. */

import type { Call } from "./call.ts";
import { ClaimTree } from "./claims.ts";
import type { Cause, Outcome } from "./outcome.ts";
import { CallHeap, Fifo } from "./queue.ts";

/** When calls may start: at once, writers after the response has ended well, or all after it. */
export type Start = "eager" | "reads" | "after";

/** How many calls run at a time, unless told otherwise. */
export const DEFAULT_LIMIT = 10;

export type Effect =
  /** Somebody's refusal ended the turn. */
  { readonly type: "end-turn"; readonly reason: string } | CallEffect;

export type CallEffect =
  | { readonly type: "judge"; readonly call: Call }
  | { readonly type: "ask"; readonly call: Call }
  /** The judgement or the question is no longer wanted. */
  | { readonly type: "withdraw"; readonly call: Call }
  /** Its state has changed, and there is nothing to do but to tell. */
  | { readonly type: "changed"; readonly call: Call }
  /** Enter its tool; where its start must be recorded first, delay it, and enter it at `launch`. */
  | { readonly type: "start"; readonly call: Call }
  | { readonly type: "launch"; readonly call: Call }
  | { readonly type: "stop"; readonly call: Call; readonly cause: Cause }
  | { readonly type: "settle"; readonly call: Call; readonly outcome: Outcome }
  /** It is settled, and all before it are delivered. */
  | { readonly type: "deliver"; readonly call: Call };

export interface Turn {
  readonly limit: number;
  readonly start: Start;
  /** Whether anybody wants to hear of changes that need nothing done. */
  readonly tells: boolean;
  readonly claims: ClaimTree;
  /** Every id that ever arrived. */
  readonly known: Set<string>;
  /** Calls that are not delivered, by id. */
  readonly live: Map<string, Call>;
  /** Calls that are not settled, and those that are not delivered, in the model's order. */
  readonly unfinished: Set<Call>;
  readonly undelivered: Fifo<Call>;
  /** Free to start and permitted; free to start and to be judged with hooks. */
  readonly ready: CallHeap;
  readonly unjudged: CallHeap;
  running: number;
  /** Judgements with hooks under way. */
  judging: number;
  arrived: number;
  responseEnded: boolean;
  /** Calls that arrive from now on are not run, because of this. */
  closed: Cause | undefined;
  discarded: boolean;
  writerStarted: boolean;
  /** A person has interrupted: calls that let a new message cancel them do not start any more, because of this. */
  interrupted: Cause | undefined;
  /** Calls that ignored their signal and may still be at work. */
  abandoned: Call[];
  /** Of the step under way. */
  effects: Effect[];
}

export function newTurn(limit: number, start: Start, tells = false): Turn {
  return {
    limit,
    start,
    tells,
    claims: new ClaimTree(),
    known: new Set(),
    live: new Map(),
    unfinished: new Set(),
    undelivered: new Fifo(),
    ready: new CallHeap(),
    unjudged: new CallHeap(),
    running: 0,
    judging: 0,
    arrived: 0,
    responseEnded: false,
    closed: undefined,
    discarded: false,
    writerStarted: false,
    interrupted: undefined,
    abandoned: [],
    effects: [],
  };
}
