/** What a listener hears: every change of state with its time, and every fault that is nobody's result. */

import type { State, Status } from "../core/call.ts";
import type { Outcome } from "../core/outcome.ts";

interface OfCall {
  readonly callId: string;
  readonly toolName: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export type EngineEvent =
  /** Input is still coming in. */
  | (OfCall & { readonly type: "call-arriving"; readonly delta: string; readonly preview: () => unknown })
  | (OfCall & {
      readonly type: "call-changed";
      readonly state: Exclude<State, "settled">;
      readonly status: Status;
    })
  | (OfCall & { readonly type: "call-progress"; readonly data: unknown })
  | (OfCall & {
      readonly type: "call-settled";
      readonly state: "settled";
      readonly status: "completed";
      readonly outcome: Outcome;
      readonly output: unknown;
    })
  | {
      readonly type: "call-yielded";
      readonly callId: string;
      readonly at: number;
      readonly state: "settled";
      readonly status: "yielded";
    }
  /** Its id was added before: it is not run. */
  | (OfCall & { readonly type: "call-duplicated" })
  /** An abandoned call has ended after all: what it did came late, and its result is dropped. */
  | (OfCall & { readonly type: "call-ended-late" })
  /** A hook threw or took too long, so it gave no decision. */
  | (OfCall & { readonly type: "hook-failed"; readonly hook: string; readonly message: string })
  /** A change that a call made to the context threw. */
  | { readonly type: "context-failed"; readonly at: number; readonly message: string }
  /** Something is not saved: the turn goes on. */
  | { readonly type: "journal-failed"; readonly at: number; readonly message: string }
  | (OfCall & { readonly type: "results-failed"; readonly message: string })
  /** A refusal or a hook ended the turn. */
  | { readonly type: "turn-ended"; readonly at: number; readonly reason: string };
