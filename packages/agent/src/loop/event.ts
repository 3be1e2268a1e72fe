/** What a listener of the loop hears, from the first byte of a response to the end of the last turn. */

import type { Outcome } from "@runahead/engine";
import type { EndReason } from "@runahead/base";
import type { ModelError } from "../model/error.ts";
import type { StopReason, Usage } from "../model/event.ts";
import type { Block, Message } from "../model/message.ts";
import type { Judged } from "../gate/auto-turn.ts";

export type { EndReason } from "@runahead/base";

/** What a person says. */
export type Prompt = string | readonly Block[];

export interface TurnTimings {
  /** From the request to the first content, to the end of the response, and to the last result. */
  readonly firstContentMs: number;
  readonly responseMs: number;
  readonly totalMs: number;
}

/** Why it is over, and in words where there is more to say. */
export interface End {
  readonly reason: EndReason;
  readonly detail: string;
  /** Why the last response ended, if that is why the work ended: `refusal`, `max_tokens`, … */
  readonly stop?: StopReason;
  /** Of `model_error`, where it was the model's. */
  readonly error?: ModelError;
}

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
  /** Its input is whole. */
  | {
      readonly type: "call-arrived";
      readonly callId: string;
      readonly toolName: string;
      readonly input: unknown;
      /** What it does, in one line. */
      readonly description: string;
    }
  /** It is being judged, a person is to be asked about it, or it waits for its place in the order. */
  | {
      readonly type: "call-queued";
      readonly callId: string;
      readonly toolName: string;
      readonly state: "judging" | "asking" | "waiting";
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
  /** Auto mode decided on a call that would otherwise be asked about. */
  | ({ readonly type: "permission-judged" } & Judged)
  /** Something is not as it should be, and the loop goes on. */
  | { readonly type: "notice"; readonly message: string }
  /** The conversation has become shorter: old results were shortened, or what was said was summarised. */
  | {
      readonly type: "compacted";
      readonly how: "shortened" | "summarised";
      readonly beforeTokens: number;
      readonly afterTokens: number;
    }
  /** The prompt, or a message that was sent meanwhile, is now part of the conversation. */
  | { readonly type: "prompt-attached"; readonly prompt: Prompt }
  | { readonly type: "ended"; readonly result: QueryResult };

export interface QueryResult extends End {
  /** The text of the last response. */
  readonly text: string;
  /** The whole conversation, always one that the model's API takes. */
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: Usage;
  /** Undefined where the price of a model is not known. */
  readonly costUsd: number | undefined;
}
