/** The interface of models: the loop knows nothing else about providers. */

import type { CallRequest } from "@runahead/engine";
import type { ModelFacts } from "./models.ts";
import type { Usage } from "./token-usage.ts";
import type { Block, ModelRequest } from "./message.ts";

export type { Usage } from "./token-usage.ts";

/** Why a response ended, with the names of the Messages API. */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "compaction"
  | "refusal"
  | "model_context_window_exceeded";

/** An event of a response, the same for every provider. */
export type ModelEvent =
  | {
      readonly type: "message-started";
      /** The provider's id of the message. For calls: the id of the call. */
      readonly id: string;
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
      readonly type: "call-begun";
      readonly id: string;
      /** The name of the tool. */
      readonly name: string;
    }
  | {
      readonly type: "call-delta";
      readonly id: string;
      readonly name: string;
      /** The new part of the input, as JSON text. */
      readonly delta: string;
      /** Returns the input received so far. */
      readonly preview: () => unknown;
    }
  /** The call is complete and can run now. Its block follows, in the order of the message. */
  | {
      readonly type: "call-complete";
      /** The call. */
      readonly call: CallRequest;
    }
  /** A complete block for the history. Thinking is unchanged. */
  | {
      readonly type: "block";
      /** The block. */
      readonly block: Block;
    }
  | {
      readonly type: "usage";
      /** The tokens of this response so far. */
      readonly usage: Usage;
    }
  | {
      readonly type: "stopped";
      /** Why the response ended. */
      readonly reason: StopReason;
      /** The provider's explanation; empty without one. */
      readonly detail: string;
    };

/** A model: anything with one streaming method. */
export interface Model {
  /** The name of the model, for prices and reports. */
  readonly name: string;
  /** What is known about the model. Default: what the table of models says about its name. */
  readonly facts?: ModelFacts | undefined;
  /**
   * Sends a request and yields the events of its response. Ends after `stopped`. Throws a {@link ModelError} if it
   * cannot continue, also during the response; earlier events stay valid.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
