/** The events for listeners: every change of state with its time, and every failure that is not part of a result. */

import type { Blocker, State, Status } from "../core/call.ts";
import type { Outcome } from "../core/outcome.ts";

interface OfCall {
  /** The id of the call. */
  readonly callId: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** When it happened, in monotonic milliseconds of the executor's clock. */
  readonly at: number;
}

/**
 * Reports a change in a turn to `onEvent`. Listeners cannot influence the turn; an error that one throws becomes a
 * process warning.
 */
export type EngineEvent =
  | (OfCall & {
      /** The input of a call is still arriving. */
      readonly type: "call-arriving";
      /** The input text that just arrived. */
      readonly delta: string;
      /** Parses the input that has arrived so far. Call it only as often as you draw. */
      readonly preview: () => unknown;
    })
  | (OfCall & {
      /** The state of a call has changed. */
      readonly type: "call-changed";
      /** The state of the call. */
      readonly state: Exclude<State, "settled">;
      /** The group of the state. */
      readonly status: Status;
      /** The call of another executor with the same locks that a waiting call waits for. */
      readonly waitsFor?: Blocker;
      /** The limit of the locks that a waiting call waits for, such as `api:/github`. */
      readonly limit?: string;
      /** The input that a running call has, if a hook, a rule or the user changed it. */
      readonly input?: unknown;
    })
  | (OfCall & {
      /** A running call reported progress. */
      readonly type: "call-progress";
      /** What it passed to `context.progress`. */
      readonly data: unknown;
    })
  | (OfCall & {
      /** The tool of a running call failed, and is called again after a wait. */
      readonly type: "call-retried";
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      /** The wait before the next attempt, in milliseconds. */
      readonly waitMs: number;
      /** Why it failed. */
      readonly message: string;
    })
  | (OfCall & {
      /** A call has its outcome. */
      readonly type: "call-settled";
      readonly state: "settled";
      readonly status: "completed";
      /** How it ended. */
      readonly outcome: Outcome;
      /** What the tool returned; undefined if it did not return. */
      readonly output: unknown;
    })
  | {
      /** The caller has read the result. */
      readonly type: "call-yielded";
      readonly callId: string;
      readonly at: number;
      readonly state: "settled";
      readonly status: "yielded";
    }
  | (OfCall & {
      /** A call with an id that was added before. It does not run. */
      readonly type: "call-duplicated";
    })
  | (OfCall & {
      /** An abandoned call has ended after all; its result is dropped. */
      readonly type: "call-ended-late";
    })
  | (OfCall & {
      /** A hook threw or took too long, so it made no decision. */
      readonly type: "hook-failed";
      /** Which hook. */
      readonly hook: string;
      /** What went wrong. */
      readonly message: string;
    })
  | {
      /** A change that a call made to the context threw. */
      readonly type: "context-failed";
      readonly at: number;
      readonly message: string;
    }
  | {
      /** The journal failed to record an event. The turn continues. */
      readonly type: "journal-failed";
      readonly at: number;
      readonly message: string;
    }
  | (OfCall & {
      /** The store for large results failed. The result was shortened instead. */
      readonly type: "results-failed";
      readonly message: string;
    })
  | {
      /** A refusal or a hook ended the turn. */
      readonly type: "turn-ended";
      readonly at: number;
      /** Why. */
      readonly reason: string;
    };
