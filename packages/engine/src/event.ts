/** What happens to a turn: the events that the core steps over, which are also what the journal records. */

import type { Access } from "./call.ts";
import type { Ending, Outcome } from "./outcome.ts";

/** A verdict as the core needs it. `access` is there when the input was changed. */
export type Judgement =
  | { readonly behavior: "allow"; readonly access?: Access }
  | { readonly behavior: "ask"; readonly access?: Access }
  | { readonly behavior: "deny"; readonly outcome: Outcome; readonly endTurn: string | undefined };

export type JournalEvent =
  | {
      readonly type: "call-arrived";
      readonly id: string;
      readonly toolName: string;
      readonly access: Access;
      /** A PreToolUse hook matches: judge it when it is free to start. */
      readonly hooked: boolean;
      /** There are no rules and no hooks, so there is nothing to judge. */
      readonly permitted: boolean;
    }
  /** It can never run: unknown tool, invalid input. */
  | {
      readonly type: "call-rejected";
      readonly id: string;
      readonly toolName: string;
      readonly outcome: Outcome;
    }
  | {
      readonly type: "call-judged";
      readonly id: string;
      readonly round: number;
      readonly judgement: Judgement;
    }
  /** A person answered the question that was asked in this round. */
  | {
      readonly type: "call-answered";
      readonly id: string;
      readonly round: number;
      readonly judgement: Judgement;
    }
  /** An earlier call has changed the context: what it touches, and whether it may run, is found out anew. */
  | { readonly type: "call-reconsidered"; readonly id: string; readonly access: Access }
  /** It waits, among the running, until the record of its start is safe; and that it is. */
  | { readonly type: "call-delayed"; readonly id: string }
  | { readonly type: "call-launched"; readonly id: string; readonly round: number }
  /** Its own code has ended; a hook that looked at it may end the turn with it. */
  | {
      readonly type: "call-finished";
      readonly id: string;
      readonly ending: Ending;
      readonly endTurn?: string | undefined;
    }
  | { readonly type: "call-timed-out"; readonly id: string; readonly limitMs: number }
  /** It was told to stop and has not, within the grace it is given. */
  | {
      readonly type: "call-ignored-stop";
      readonly id: string;
      readonly ranMs: number;
      readonly output: string;
    }
  | { readonly type: "turn-interrupted"; readonly kind: "stop" | "message"; readonly reason: string }
  | { readonly type: "turn-discarded" }
  | { readonly type: "response-ended"; readonly ok: boolean; readonly reason: string }
  /** Rules or modes have changed: what has not started is judged again. */
  | { readonly type: "permissions-changed" };
