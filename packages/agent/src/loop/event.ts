/** What a listener of the loop hears, from the first byte of a response to the end of the last turn. */

import type { Outcome } from "@runahead/engine";
import type { ModelError } from "../model/error.ts";
import type { StopReason, Usage } from "../model/event.ts";
import type { Message } from "../model/message.ts";

export interface TurnTimings {
  /** From the request to the first content, to the end of the response, and to the last result. */
  readonly firstContentMs: number;
  readonly responseMs: number;
  readonly totalMs: number;
}

export type EndReason =
  | "completed"
  | "max_turns"
  | "aborted_streaming"
  | "aborted_tools"
  | "hook_stopped"
  | "model_error"
  | "budget";

export type AgentEvent =
  | { readonly type: "message-started"; readonly turn: number; readonly model: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "call-arriving";
      readonly callId: string;
      readonly toolName: string;
      readonly preview: () => unknown;
    }
  | { readonly type: "call-started"; readonly callId: string; readonly toolName: string }
  | {
      readonly type: "call-progress";
      readonly callId: string;
      readonly toolName: string;
      readonly data: unknown;
    }
  | {
      readonly type: "call-settled";
      readonly callId: string;
      readonly toolName: string;
      readonly outcome: Outcome;
      readonly output: unknown;
    }
  | {
      readonly type: "turn-ended";
      readonly turn: number;
      readonly stop: StopReason | "cut";
      readonly usage: Usage;
      readonly timings: TurnTimings;
    }
  /** What was said since the message started does not count: it is asked for again. */
  | { readonly type: "retry"; readonly attempt: number; readonly waitMs: number; readonly error: ModelError }
  /** Something is not as it should be, and the loop goes on. */
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "ended"; readonly result: QueryResult };

export interface QueryResult {
  readonly reason: EndReason;
  /** In words, where there is more to say. */
  readonly detail: string;
  /** The text of the last response. */
  readonly text: string;
  /** The whole conversation, always one that the model's API takes. */
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: Usage;
}
