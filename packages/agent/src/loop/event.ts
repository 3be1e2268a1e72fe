/** Events of the loop. */

import type { Outcome } from "@runahead/engine";
import type { EndReason } from "@runahead/base";
import type { ModelError } from "../model/error.ts";
import type { StopReason, Usage } from "../model/event.ts";
import type { Block, Message } from "../model/message.ts";
import type { Judged } from "../gate/auto-turn.ts";
import type { StructuredOutput } from "./structured-output.ts";
import type { ModelSpent } from "./tally.ts";

export type { EndReason } from "@runahead/base";

/** A prompt: a text, or content blocks. */
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
  /** Details in words; can be empty. */
  readonly detail: string;
  /** Why the last response ended, if that is why the work ended: `refusal`, `max_tokens`, … */
  readonly stop?: StopReason;
  /** With `model_error`: the error of the model, if there was one. */
  readonly error?: ModelError;
}

/** An event while a prompt is answered, from the first byte of a response to the end of the last turn. */
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
      /** The new part of the text. */
      readonly text: string;
    }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "call-arriving";
      /** The id of the call. */
      readonly callId: string;
      /** The name of its tool, as the model wrote it. */
      readonly toolName: string;
      /** Returns the input received so far. */
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
      /** The call that made this call, such as the call of a script; undefined if the model made it. */
      readonly parentId?: string;
    }
  /** The call is being judged, waits for an answer of the user, or waits for its turn. */
  | {
      readonly type: "call-queued";
      readonly callId: string;
      readonly toolName: string;
      /** What it waits for. */
      readonly state: "judging" | "asking" | "waiting";
      /** The limit of a place or a tool that it waits for, such as `api:/github`. */
      readonly limit?: string;
      readonly parentId?: string;
    }
  | {
      readonly type: "call-started";
      readonly callId: string;
      readonly toolName: string;
      /** Set if a hook, a rule or the user changed the input. */
      readonly changed?: {
        /** The input that it runs with. */
        readonly input: unknown;
        /** What the call does with this input. */
        readonly description: string;
      };
      readonly parentId?: string;
    }
  | {
      readonly type: "call-progress";
      readonly callId: string;
      readonly toolName: string;
      /** What the tool reported; its form depends on the tool. */
      readonly data: unknown;
      readonly parentId?: string;
    }
  /** The tool of a running call failed, and is called again after a wait. */
  | {
      readonly type: "call-retried";
      readonly callId: string;
      readonly toolName: string;
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      /** The wait before the next attempt, in milliseconds. */
      readonly waitMs: number;
      /** Why it failed. */
      readonly message: string;
      readonly parentId?: string;
    }
  /** An event of a sub-agent that works for a call. It can itself be an `agent-event` of a nested sub-agent. */
  | {
      readonly type: "agent-event";
      readonly callId: string;
      readonly toolName: string;
      /** The id of the sub-agent, unique within its call. */
      readonly agentId: string;
      /** The kind of sub-agent: the name of its definition. */
      readonly agentType: string;
      /** The event of the sub-agent. */
      readonly event: AgentEvent;
      readonly parentId?: string;
    }
  /** A sub-agent started or continues. The first of its events, so it comes inside of an `agent-event`. */
  | {
      readonly type: "agent-started";
      /** Its task in a few words. */
      readonly description: string;
      /** Whether its caller continues without waiting for it. Then its events continue after its call has settled. */
      readonly isBackground: boolean;
    }
  /** A background agent or command ended. Its result reaches the model with the next request. */
  | {
      readonly type: "task-ended";
      /** Its id, such as `agent-2` or `bash_1`. */
      readonly id: string;
      /** What it was. */
      readonly kind: "agent" | "command";
      /** What it did, in one line. */
      readonly description: string;
      /** How it ended, in one word. */
      readonly state: string;
    }
  | {
      readonly type: "call-settled";
      readonly callId: string;
      readonly toolName: string;
      /** How it ended. */
      readonly outcome: Outcome;
      /** What the tool returned; undefined if it did not succeed. */
      readonly output: unknown;
      readonly parentId?: string;
    }
  /** The response is complete. Its calls can still be running. Not sent for a response that broke off or has no calls. */
  | {
      readonly type: "response-ended";
      readonly turn: number;
      /** Why the response ended. */
      readonly stop: StopReason;
      /** The blocks of the response, as they become part of the conversation. */
      readonly content: readonly Block[];
      /** The tokens of the response. */
      readonly usage: Usage;
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
  /** The request is sent again. Everything since `message-started` is discarded. */
  | {
      readonly type: "retry";
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      /** The maximum number of attempts. */
      readonly attempts: number;
      /** The wait before the next attempt. */
      readonly waitMs: number;
      /** Why the attempt failed. */
      readonly error: ModelError;
    }
  /** Auto mode decided on a call about which the user would otherwise be asked. */
  | ({
      readonly type: "permission-judged";
      readonly parentId?: string;
    } & Judged)
  /** A problem that does not end the work. */
  | {
      readonly type: "notice";
      /** The text for the user. */
      readonly message: string;
    }
  /** The conversation became shorter: old results were shortened, or earlier messages were summarised. */
  | {
      readonly type: "compacted";
      /** What was done. */
      readonly how: "shortened" | "summarised";
      /** The estimated size before, in tokens. */
      readonly beforeTokens: number;
      /** The estimated size after, in tokens. */
      readonly afterTokens: number;
    }
  /** A prompt is now part of the conversation. */
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
export interface QueryResult<Output = unknown> extends End {
  /** The text of the last response. */
  readonly text: string;
  /** The whole conversation, always one that the model's API accepts. */
  readonly messages: readonly Message[];
  /** How many turns it took. */
  readonly turns: number;
  /** The tokens of all turns, with those of sub-agents. */
  readonly usage: Usage;
  /** The cost in US dollars, with that of sub-agents; undefined if the price of a model is unknown. */
  readonly costUsd: number | undefined;
  /** The tokens and the cost of each model that was used, such as a fallback or the model of a sub-agent. */
  readonly models: readonly ModelSpent[];
  /** With `outputSchema`: the answer as data, or why it is not valid. */
  readonly output?: StructuredOutput<Output>;
}
