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

/** Times of one turn, in milliseconds since its request was sent. */
export interface TurnTimings {
  /** Until the first content. */
  readonly firstContentMs: number;
  /** Until the end of the response. */
  readonly responseMs: number;
  /** Until the last result. */
  readonly totalMs: number;
}

/** Why the work ended. */
export interface End {
  /** Why the work ended. */
  readonly reason: EndReason;
  /** The same in words, if there is more to say; else empty. */
  readonly detail: string;
  /** Why the last response ended, if that is why the work ended: `refusal`, `max_tokens`, … */
  readonly stop?: StopReason;
  /** With `model_error`: the error of the model, if there was one. */
  readonly error?: ModelError;
}

/** What happens while a prompt is answered, from the first byte of a response to the end of the last turn. */
export type AgentEvent =
  | {
      readonly type: "message-started";
      /** The number of the turn, from 1. */
      readonly turn: number;
      /** The name of the model that answers. */
      readonly model: string;
    }
  | {
      readonly type: "text";
      /** The part of the text that came in just now. */
      readonly text: string;
    }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "call-arriving";
      /** The id of the call. */
      readonly callId: string;
      /** The name of its tool, as the model wrote it. */
      readonly toolName: string;
      /** Returns the input as far as it has come in. */
      readonly preview: () => unknown;
    }
  /** Its input is complete. */
  | {
      readonly type: "call-arrived";
      readonly callId: string;
      readonly toolName: string;
      /** Its input, before validation. */
      readonly input: unknown;
      /** What it does, in one line. */
      readonly description: string;
    }
  /** It is being judged, a person is to be asked about it, or it waits for its place in the order. */
  | {
      readonly type: "call-queued";
      readonly callId: string;
      readonly toolName: string;
      /** What it waits for. */
      readonly state: "judging" | "asking" | "waiting";
    }
  | { readonly type: "call-started"; readonly callId: string; readonly toolName: string }
  | {
      readonly type: "call-progress";
      readonly callId: string;
      readonly toolName: string;
      /** What the tool reported, in a form of its own. */
      readonly data: unknown;
    }
  /** An event of a sub-agent that works for a call; it can itself be one of a sub-agent further down. */
  | {
      readonly type: "agent-event";
      readonly callId: string;
      readonly toolName: string;
      readonly agentId: string;
      /** The kind of sub-agent: the name of its definition. */
      readonly agentType: string;
      readonly event: AgentEvent;
    }
  | {
      readonly type: "call-settled";
      readonly callId: string;
      readonly toolName: string;
      /** How it ended. */
      readonly outcome: Outcome;
      /** What the tool returned; undefined if it did not succeed. */
      readonly output: unknown;
    }
  | {
      readonly type: "turn-ended";
      readonly turn: number;
      /** Why the response ended; `cut`: it broke off. */
      readonly stop: StopReason | "cut";
      /** The tokens of the turn. */
      readonly usage: Usage;
      /** The times of the turn. */
      readonly timings: TurnTimings;
    }
  /** What was said since the message started does not count: it is asked for again. */
  | {
      readonly type: "retry";
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      /** How long it waits before the next attempt. */
      readonly waitMs: number;
      /** Why the attempt failed. */
      readonly error: ModelError;
    }
  /** Auto mode decided on a call that would otherwise be asked about. */
  | ({ readonly type: "permission-judged" } & Judged)
  /** There is a problem, and the work goes on. */
  | {
      readonly type: "notice";
      /** The text for the person. */
      readonly message: string;
    }
  /** The conversation has become shorter: old results were shortened, or what was said was summarised. */
  | {
      readonly type: "compacted";
      /** What was done. */
      readonly how: "shortened" | "summarised";
      /** The estimated size before, in tokens. */
      readonly beforeTokens: number;
      /** The estimated size after, in tokens. */
      readonly afterTokens: number;
    }
  /** The prompt, or one that was sent meanwhile, is now part of the conversation. */
  | {
      readonly type: "prompt-attached";
      /** The prompt. */
      readonly prompt: Prompt;
    }
  | {
      readonly type: "ended";
      /** How it ended. */
      readonly result: QueryResult;
    };

/** The answer to a prompt, and why the work on it ended. */
export interface QueryResult extends End {
  /** The text of the last response. */
  readonly text: string;
  /** The whole conversation, always one that the model's API accepts. */
  readonly messages: readonly Message[];
  /** How many turns it took. */
  readonly turns: number;
  /** The tokens of all turns. */
  readonly usage: Usage;
  /** What they cost in US dollars; undefined if the price of a model is not known. */
  readonly costUsd: number | undefined;
}
