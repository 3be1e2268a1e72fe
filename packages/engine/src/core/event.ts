/** What happens to a turn: the events that the core steps over, which are also what the journal records. */

import type { Access } from "./call.ts";
import type { Ending, Outcome } from "./outcome.ts";

/** A changed input: its number among the inputs of the call, and what the call touches with it. */
export interface Change {
  readonly input: number;
  readonly access: Access;
}

/** A verdict as the core needs it. `change` is there when the input was changed. */
export type Judgement =
  | { readonly behavior: "allow"; readonly change?: Change }
  | {
      readonly behavior: "ask";
      readonly reason: string;
      /** False: the tool's `check` must not run before the question. */
      readonly isCheckable?: false;
      readonly change?: Change;
    }
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
  /** The verdict that was asked for in this epoch. */
  | {
      readonly type: "call-judged";
      readonly id: string;
      readonly epoch: number;
      readonly judgement: Judgement;
    }
  /** A person answered the question that was asked in this epoch. */
  | {
      readonly type: "call-answered";
      readonly id: string;
      readonly question: number;
      readonly judgement: Judgement;
    }
  /** The question that was asked in this epoch was withdrawn, and nobody has answered it. */
  | { readonly type: "question-closed"; readonly id: string; readonly question: number }
  /** What it touches in the context as it is now. */
  | { readonly type: "call-located"; readonly id: string; readonly access: Access }
  /** Its tool is entered now. */
  | { readonly type: "call-launched"; readonly id: string }
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
  /** The call with this index has changed the context of all later ones. */
  | { readonly type: "context-changed"; readonly index: number }
  | { readonly type: "turn-interrupted"; readonly kind: "stop" | "message"; readonly reason: string }
  | { readonly type: "turn-discarded" }
  | { readonly type: "response-ended"; readonly ok: boolean; readonly reason: string }
  /** Rules or modes have changed: what has not started is judged again. */
  | { readonly type: "permissions-changed" }
  /** The journal failed to record events before this one. */
  | { readonly type: "records-lost" };
