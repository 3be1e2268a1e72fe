/** One tool request of the model, and the states it goes through. */

import type { Claim } from "./access.ts";
import type { Request } from "./claims.ts";
import type { Cause, Outcome } from "./outcome.ts";

/** A call as it comes off the wire: its input, or the raw text of it, which the engine then parses. */
export type CallRequest =
  | { readonly id: string; readonly name: string; readonly input: unknown; readonly message?: unknown }
  | { readonly id: string; readonly name: string; readonly inputText: string; readonly message?: unknown };

/** What the core must know of a call: plain data, so that an event that carries it can be recorded. */
export interface Access {
  readonly claims: readonly Claim[];
  readonly readOnly: boolean;
  readonly interrupt: "cancel" | "block";
  readonly onError: "isolate" | "cancel-later";
}

/**
 * Each state has just its fields. `waiting` comes twice: before the verdict, where a hook must see the world as
 * earlier calls leave it (`permitted: false`), and after it, until the call is free to start.
 */
export type Phase =
  | { readonly state: "judging"; readonly withHooks: boolean }
  /** The round in which the question was asked, and the last one in which the verdict was to ask. */
  | { readonly state: "asking"; readonly question: number; readonly judged: number }
  | { readonly state: "waiting"; readonly permitted: boolean }
  /** Not launched: the record of its start is not safe yet, so its tool has not been entered. */
  | { readonly state: "running"; readonly launched: boolean }
  | { readonly state: "stopping"; readonly cause: Cause }
  | { readonly state: "settled"; readonly outcome: Outcome; readonly stillRunning: readonly string[] };

export type State = Phase["state"];

/** States without anything of their own are shared: a call in them costs nothing. */
export const JUDGING: Phase = { state: "judging", withHooks: false };
export const WAITING: Phase = { state: "waiting", permitted: true };
export const WAITING_UNJUDGED: Phase = { state: "waiting", permitted: false };
export const RUNNING: Phase = { state: "running", launched: true };

/** What listeners see of a state. */
export type Status = "queued" | "executing" | "completed" | "yielded";

export interface Call {
  readonly index: number;
  readonly id: string;
  readonly toolName: string;
  /** Changes with the input. */
  access: Access;
  /** Whether a PreToolUse hook matches, so that it is judged when free to start. */
  readonly hooked: boolean;
  phase: Phase;
  /** Which judgement is awaited: what comes of earlier ones is void. */
  round: number;
  /** A person has said yes to it. */
  approved: boolean;
  /** Its places in the claim queues, and how many of them others still stand before. */
  requests: Request[];
  blocked: number;
}

export function statusOf(state: State): Status {
  if (state === "running" || state === "stopping") return "executing";
  return state === "settled" ? "completed" : "queued";
}
