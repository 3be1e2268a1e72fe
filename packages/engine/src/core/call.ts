/** One tool call of the model, and its states. */

import type { Claim } from "./access.ts";
import type { Claimant } from "./claim-queue.ts";
import type { Cause, Outcome } from "./outcome.ts";

/** Describes a call as it arrives: with its input as a value, or as JSON text that the engine parses. */
export type CallRequest =
  | {
      /** The id that the model gave to the call. Must be unique within the response. */
      readonly id: string;
      /** The name or an alias of the tool. */
      readonly name: string;
      /** The parsed input, before validation. */
      readonly input: unknown;
      /** The assistant message that contains the call; tools see it as `context.message`. */
      readonly message?: unknown;
    }
  | {
      readonly id: string;
      readonly name: string;
      /** The input as JSON text. Text that is not valid JSON becomes a failed result. */
      readonly inputText: string;
      readonly message?: unknown;
    };

/**
 * Says when calls start.
 *
 * - `eager`: each as soon as it is complete on the wire.
 * - `reads`: read-only calls at once, the others when the response has ended normally.
 * - `after`: all calls when the response has ended normally.
 */
export type Start = "eager" | "reads" | "after";

/** Holds what the scheduler needs to know about a call. It is plain data, so that events with it can be recorded. */
export interface Access {
  /** The places that the call reads and writes. */
  readonly claims: readonly Claim[];
  /** Whether the call only reads, as its tool's `isReadOnly` says. */
  readonly readOnly: boolean;
  /** Whether a new message of the user stops the call or waits for it. */
  readonly interrupt: "cancel" | "block";
  /** Whether a failure of the call cancels later calls that write. */
  readonly onError: "isolate" | "cancel-later";
  /** Whether the call only waits for work that other calls do, as its tool's `delegates` says. Default: false. */
  readonly delegates?: boolean;
}

/** Names the call of another executor that a call waits for. */
export interface Blocker {
  /** The id of the other call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** The `owner` of its executor, if it has one. */
  readonly owner?: string;
}

/** Somebody whose calls ask for locks: one turn. */
export interface LockHolder {
  /** Its name in what others see of their waits. */
  readonly owner: string | undefined;
  /** The call has what it asked for. */
  granted(call: Call): void;
}

/** A call's place in the locks that executors share. */
export interface LockTicket {
  /** Gives back what the call holds or waits for. */
  leave(): void;
  /** Whether the start of the call counts for a limit per minute. */
  readonly isMetered: boolean;
  /** The call starts now. */
  use(): void;
}

/**
 * Every state has a name and exactly its fields. ARCHITECTURE.md shows how one leads to the next.
 *
 * - `judging`: the rules are being asked, on arrival or because something changed.
 * - `waiting`: a hook matches, so the call waits until it is free to start before it is judged.
 * - `locating`: an earlier call changed the context; what this one touches is determined again.
 * - `consulting`: its hooks run, and then the rules decide. It occupies one of the slots for hooks.
 * - `asking`: the user is asked. A newer verdict can be pending at the same time.
 * - `deferred`: the answer comes later, perhaps in another program. It keeps its place in the order.
 * - `closing`: the rules no longer ask, and its question is being closed; the user may have just answered it.
 * - `permitted`: it waits until it is free to start.
 * - `rejudging`: it was about to start, but an earlier call had changed the context: the rules are asked once more.
 * - `queued`: it is free to start in its own turn, and waits for the locks that executors share.
 * - `starting`: it is about to run. Its tool has not been entered, so it can still be kept from running.
 * - `running`: its tool has been called.
 * - `stopping`: its signal is aborted, and it has not ended yet.
 * - `settled`: it has its outcome.
 */
export type Phase =
  | { readonly state: "judging" }
  | { readonly state: "waiting" }
  | { readonly state: "locating" }
  | { readonly state: "consulting" }
  /** The epoch in which the question was asked, the input it is about, and the latest epoch with a verdict to ask. */
  | {
      readonly state: "asking";
      readonly question: number;
      readonly input: number;
      readonly judged: number;
    }
  | { readonly state: "deferred" }
  | { readonly state: "closing"; readonly question: number }
  | { readonly state: "permitted" }
  | { readonly state: "rejudging" }
  | { readonly state: "queued" }
  | { readonly state: "starting" }
  | { readonly state: "running" }
  | { readonly state: "stopping"; readonly cause: Cause }
  | { readonly state: "settled"; readonly outcome: Outcome; readonly stillRunning: readonly string[] };

export type PhaseName = Phase["state"];

/** States without fields are shared: a call in them costs nothing. */
export const JUDGING: Phase = { state: "judging" };
export const WAITING: Phase = { state: "waiting" };
export const LOCATING: Phase = { state: "locating" };
export const CONSULTING: Phase = { state: "consulting" };
export const DEFERRED: Phase = { state: "deferred" };
export const PERMITTED: Phase = { state: "permitted" };
export const REJUDGING: Phase = { state: "rejudging" };
export const QUEUED: Phase = { state: "queued" };
export const STARTING: Phase = { state: "starting" };
export const RUNNING: Phase = { state: "running" };

/**
 * Names the state of a call as listeners see it.
 *
 * - `judging`: hooks and rules decide.
 * - `asking`: the user is being asked.
 * - `waiting`: it waits for other calls, for a free slot, or for the response to end.
 * - `running`: its tool has been entered.
 * - `stopping`: its signal is aborted, and it has not ended yet.
 * - `settled`: it has its outcome.
 */
export type State = "judging" | "asking" | "waiting" | "running" | "stopping" | "settled";

/** Groups the states of a call into four: not started, running, ended, and read by the caller. */
export type Status = "queued" | "executing" | "completed" | "yielded";

export interface Call extends Claimant {
  readonly id: string;
  readonly toolName: string;
  /** Changes with the input, and with the context. */
  access: Access;
  /** Whether a PreToolUse hook matches, so that it is judged when free to start. */
  readonly hooked: boolean;
  phase: Phase;
  /** The epoch of the latest request for a verdict. Verdicts of earlier requests are ignored. */
  epoch: number;
  /** Whether a verdict on it came after a change of the context. */
  wasStale: boolean;
  /** The epoch and the input of the user's approval. */
  approved: { readonly at: number; readonly input: number } | undefined;
  /** The number of the input that the call runs with: 0 for the original, others for changed inputs. */
  input: number;
  /** In the shared locks, while it is queued there, about to run or running. */
  ticket: LockTicket | undefined;
  /** Its neighbours among the calls that are about to start. */
  before: Call | undefined;
  after: Call | undefined;
}

export function shownState(state: PhaseName): State {
  switch (state) {
    case "consulting":
    case "rejudging":
      return "judging";
    case "deferred":
      return "asking";
    case "locating":
    case "closing":
    case "permitted":
    case "queued":
    case "starting":
      return "waiting";
    default:
      // Listeners know these states by the same name. A new state without one fails to compile here.
      return state;
  }
}

export function statusOf(state: State): Status {
  if (state === "running" || state === "stopping") return "executing";
  return state === "settled" ? "completed" : "queued";
}

/** It occupies one of the `limit` slots, and its claims also block earlier calls. */
export function isExecuting({ state }: Phase): boolean {
  return state === "starting" || state === "running" || state === "stopping";
}

/** It has a place in the shared locks, if there are any. */
export function keepsTicket(phase: Phase): boolean {
  return phase.state === "queued" || isExecuting(phase);
}

/** Its tool has been entered, so it may have had effects. */
export function hasStarted({ state }: Phase): boolean {
  return state === "running" || state === "stopping";
}
