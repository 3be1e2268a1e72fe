/** The events of a turn. The core processes them, and the journal records them. */

import type { Access } from "./call.ts";
import type { Ending, Outcome } from "./outcome.ts";

/** A changed input: its number among the inputs of the call, and what the call touches with it. */
export interface Change {
  readonly input: number;
  readonly access: Access;
  /** The changed input itself. The core ignores it; recovery passes it to the tool's `reconcile`. */
  readonly value?: unknown;
}

/** Holds a verdict in the form in which the journal records it. */
export type Judgement =
  | {
      readonly behavior: "allow";
      /** Present if a hook, a rule or the user changed the input. */
      readonly change?: Change;
    }
  | {
      readonly behavior: "ask";
      /** Why the user is asked. */
      readonly reason: string;
      /** False: the tool's `check` must not run before the question. */
      readonly isCheckable?: false;
      /** True: a hook wants the question to be answered later. */
      readonly isDeferred?: true;
      readonly change?: Change;
    }
  | {
      readonly behavior: "deny";
      /** The outcome of the call, which will not run. */
      readonly outcome: Outcome;
      /** Why the turn ends with this verdict. Undefined if it continues. */
      readonly endTurn: string | undefined;
    };

/** The verdict that the user is to be asked. */
export type AskJudgement = Extract<Judgement, { behavior: "ask" }>;

/**
 * Records one thing that happened to a turn. A {@link Journal} gets every event before its effects, so replaying the
 * events leads to the same state. The values are plain data and can be written as JSON.
 */
export type JournalEvent =
  | {
      /** A call is complete on the wire, and its input is valid. */
      readonly type: "call-arrived";
      /** The id of the call. */
      readonly id: string;
      /** The name of its tool. */
      readonly toolName: string;
      /** What it touches. */
      readonly access: Access;
      /** A PreToolUse hook matches: judge it when it is free to start. */
      readonly hooked: boolean;
      /** There are no rules and no hooks, so the call needs no verdict. */
      readonly permitted: boolean;
    }
  | {
      /** It can never run: unknown tool, invalid input. */
      readonly type: "call-rejected";
      readonly id: string;
      readonly toolName: string;
      /** Why it cannot run. */
      readonly outcome: Outcome;
    }
  | {
      /** The verdict that was asked for in this epoch. */
      readonly type: "call-judged";
      readonly id: string;
      /** The epoch of the request. Only the latest one counts. */
      readonly epoch: number;
      /** The verdict. */
      readonly judgement: Judgement;
    }
  | {
      /** The user answered the question that was asked in this epoch. */
      readonly type: "call-answered";
      readonly id: string;
      /** The epoch of the question. */
      readonly question: number;
      readonly judgement: Judgement;
    }
  | {
      /** The question that was asked in this epoch is answered later, perhaps in another program. */
      readonly type: "call-deferred";
      readonly id: string;
      readonly question: number;
      /** Why the user is asked. */
      readonly reason: string;
      /** The input that the question is about. Left out if it cannot be written as JSON. */
      readonly input?: unknown;
    }
  | {
      /** The question that was asked in this epoch was withdrawn without an answer. */
      readonly type: "question-closed";
      readonly id: string;
      readonly question: number;
    }
  | {
      /** What the call touches in the current context. */
      readonly type: "call-located";
      readonly id: string;
      readonly access: Access;
    }
  | {
      /**
       * It was about to start, and the shared locks let others come first. Recorded with `call-granted`, because what
       * the locks answer depends on other turns, and replaying the journal of this turn must lead to the same states.
       */
      readonly type: "call-queued";
      readonly id: string;
    }
  | {
      /** The shared locks let it start. A call that writes starts when this record is safe. */
      readonly type: "call-granted";
      readonly id: string;
    }
  | {
      /** Its tool is called now. */
      readonly type: "call-launched";
      readonly id: string;
    }
  | {
      /** An attempt of its tool failed, and another one follows. The call keeps running. */
      readonly type: "call-retried";
      readonly id: string;
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      /** The wait before the next attempt, in milliseconds. */
      readonly waitMs: number;
      /** Why it failed. */
      readonly message: string;
    }
  | {
      /** The tool's own code has ended. */
      readonly type: "call-finished";
      readonly id: string;
      /** How it ended. */
      readonly ending: Ending;
      /** Why a hook that looked at the result ended the turn, if one did. */
      readonly endTurn?: string | undefined;
    }
  | {
      /** The call reached its time limit. */
      readonly type: "call-timed-out";
      readonly id: string;
      /** The limit in milliseconds. */
      readonly limitMs: number;
    }
  | {
      /** The call was stopped and has not ended within the grace period, so it is abandoned. */
      readonly type: "call-ignored-stop";
      readonly id: string;
      /** How long it had run by then, in milliseconds. */
      readonly ranMs: number;
      /** Its output so far. */
      readonly output: string;
    }
  | {
      /** A call has changed the context of all later ones. */
      readonly type: "context-changed";
      /** The position of the call in the response. */
      readonly index: number;
    }
  | {
      /** The turn was interrupted. */
      readonly type: "turn-interrupted";
      /** `stop` cancels every call, `message` those that a new message cancels. */
      readonly kind: "stop" | "message";
      /** Why the turn was interrupted, or why the response failed (empty if it ended normally). */
      readonly reason: string;
    }
  | {
      /** The response was discarded before a call that writes had started. */
      readonly type: "turn-discarded";
    }
  | {
      /** The response has ended. */
      readonly type: "response-ended";
      /** Whether it ended normally. */
      readonly ok: boolean;
      readonly reason: string;
    }
  | {
      /** Rules or modes have changed: every call that has not started is judged again. */
      readonly type: "permissions-changed";
    }
  | {
      /** The journal failed to record events before this one. */
      readonly type: "records-lost";
    };
