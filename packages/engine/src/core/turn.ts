/** The state of one turn in the core, and the effects that the core requests from the runtime. */

import { AbandonedCalls } from "./abandoned.ts";
import { type Call, type PhaseName, type Start, hasStarted } from "./call.ts";
import { ClaimTree } from "./claims.ts";
import { Epochs } from "./epochs.ts";
import type { Cause, Outcome } from "./outcome.ts";
import { Chain, Fifo } from "./queue.ts";

/** How many calls run at a time by default. */
export const DEFAULT_LIMIT = 10;

export type Effect =
  /** Whether a refusal ended the turn. */
  { readonly type: "end-turn"; readonly reason: string } | CallEffect;

/**
 * Other steps can happen between a step and its effects. An effect is performed only if it still fits the state of its
 * call.
 */
type CallEffect =
  /** Run its hooks, if it is `consulting`, and ask the rules. */
  | { readonly type: "judge"; readonly call: Call; readonly epoch: number }
  /** Determine what it touches in the current context. */
  | { readonly type: "locate"; readonly call: Call }
  | { readonly type: "ask"; readonly call: Call; readonly question: number }
  /** The judgement or the question is no longer wanted. */
  | { readonly type: "withdraw"; readonly call: Call }
  /** Its state has changed, which is only reported. */
  | { readonly type: "changed"; readonly call: Call }
  /** Record its launch, and call its tool. */
  | { readonly type: "start"; readonly call: Call }
  | { readonly type: "stop"; readonly call: Call; readonly cause: Cause }
  | { readonly type: "settle"; readonly call: Call; readonly outcome: Outcome }
  /** Deliver its result: it is settled, and all earlier calls are delivered. */
  | { readonly type: "deliver"; readonly call: Call };

export interface Turn {
  readonly limit: number;
  readonly start: Start;
  /** Whether a listener needs changes that have no other effect. */
  readonly reports: boolean;
  readonly claims: ClaimTree<Call>;
  readonly epochs: Epochs;
  /** Every id that ever arrived. */
  readonly known: Set<string>;
  /** Calls that are not delivered, by id. */
  readonly live: Map<string, Call>;
  /** The same calls in the model's order. It is empty when every call is settled. */
  readonly undelivered: Fifo<Call>;
  /** Calls that were abandoned and have not ended since. */
  readonly abandoned: AbandonedCalls;
  /** How many calls occupy a slot for running, and a slot for hooks. */
  executing: number;
  consulting: number;
  /** How many calls wait for an answer that comes later. */
  deferred: number;
  /** Those of them that have not been launched. */
  readonly starting: Chain<Call>;
  arrived: number;
  /** `cut` with the reason, if the response failed. */
  response: "open" | "ended" | { readonly cut: string };
  discarded: boolean;
  writerStarted: boolean;
  /** The user or a hook has stopped the turn. */
  stopped: Cause | undefined;
  /** The number of calls that had arrived when a new message came. */
  message: { readonly cause: Cause; readonly arrived: number } | undefined;
  /** The earliest call that failed and cancels later ones that write. */
  failed: { readonly cause: Cause; readonly index: number } | undefined;
  /** Of the step under way. */
  effects: readonly Effect[];
}

export function newTurn(limit: number, start: Start, reports = false): Turn {
  const undelivered = new Fifo<Call>();
  return {
    limit,
    start,
    reports,
    claims: new ClaimTree(() => unfinished({ undelivered })),
    epochs: new Epochs(),
    known: new Set(),
    live: new Map(),
    undelivered,
    abandoned: new AbandonedCalls(),
    executing: 0,
    consulting: 0,
    deferred: 0,
    starting: new Chain(),
    arrived: 0,
    response: "open",
    discarded: false,
    writerStarted: false,
    stopped: undefined,
    message: undefined,
    failed: undefined,
    effects: NO_EFFECTS,
  };
}

export const NO_EFFECTS: readonly Effect[] = [];

/**
 * Requests an effect from the runtime after the step. Most steps have one effect or none, so the list is created for
 * it.
 */
export function emit(turn: Turn, effect: Effect): void {
  if (turn.effects.length === 0) turn.effects = [effect];
  else (turn.effects as Effect[]).push(effect);
}

/** Has the new state of a call reported, if somebody listens. */
export function reportChange(turn: Turn, call: Call): void {
  if (turn.reports) emit(turn, { type: "changed", call });
}

/** The calls that are not settled, in the model's order, as a list that does not change when they settle. */
export function unfinished({ undelivered }: Pick<Turn, "undelivered">): Call[] {
  return undelivered.list().filter(({ phase }) => phase.state !== "settled");
}

/**
 * Whether nothing can happen until an answer comes that was deferred: the response has ended, and every unfinished call
 * is deferred or waits for one that is. `isHeld` says whether the question about a call waits for an earlier call.
 */
export function isParked(turn: Turn, isHeld: (call: Call) => boolean): boolean {
  if (turn.deferred === 0 || turn.executing > 0 || !hasEnded(turn)) return false;
  return unfinished(turn).every((call) => {
    const { state } = call.phase;
    return CAN_PARK.has(state) || (state === "asking" && isHeld(call));
  });
}

const CAN_PARK: ReadonlySet<PhaseName> = new Set(["deferred", "permitted", "waiting"]);

export function hasEnded({ response }: Turn): boolean {
  return response !== "open";
}

/** An effect on a call that has not settled. */
export type OpenEffect = Exclude<CallEffect, { type: "settle" | "deliver" }>;

/** Whether the call is still in the state that the effect is for. Other events may have happened in between. */
export function stillFits(effect: OpenEffect): boolean {
  const { phase, epoch } = effect.call;
  switch (effect.type) {
    case "judge":
      return epoch === effect.epoch && phase.state !== "settled";
    case "ask":
      return phase.state === "asking" && phase.question === effect.question;
    case "locate":
      return !hasStarted(phase) && phase.state !== "settled";
    case "start":
      return phase.state === "starting";
    case "stop":
      return phase.state === "stopping";
    case "withdraw":
    case "changed":
      return true;
  }
}
