/** What every model says, whatever its wire: the loop knows nothing else of providers. */

import type { CallRequest } from "@runahead/engine";
import type { Usage } from "./token-usage.ts";
import type { Block, ModelRequest } from "./message.ts";

export type { Usage } from "./token-usage.ts";

/** Why the response ended, in the Messages API's words. */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

export type ModelEvent =
  | { readonly type: "message-started"; readonly id: string; readonly model: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call-begun"; readonly id: string; readonly name: string }
  | {
      readonly type: "call-delta";
      readonly id: string;
      readonly name: string;
      readonly delta: string;
      readonly preview: () => unknown;
    }
  /** The call is whole: run it now. Its block follows, in the order of the message. */
  | { readonly type: "call-complete"; readonly call: CallRequest }
  /** A whole block, as it goes into the history. Thinking is what came, to the letter. */
  | { readonly type: "block"; readonly block: Block }
  /** So far, in this response. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "stopped"; readonly reason: StopReason; readonly detail: string };

/**
 * One streaming method. Ends after `stopped`; throws a `ModelError` when it cannot go on, also in mid-stream: what
 * came before stays true.
 */
export interface Model {
  readonly name: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
