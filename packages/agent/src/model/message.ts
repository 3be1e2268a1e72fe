/** What goes to a model and comes back, in the Messages API's form: the one form that histories are kept in. */

import type { Block, ToolDefinition } from "@runahead/engine/wire";

export type { Block, ToolDefinition };

/** One entry of a conversation, in the form of the Messages API. */
export interface Message {
  /** Who says it. Results of calls are messages of the user. */
  readonly role: "user" | "assistant";
  /** A text, or content blocks. */
  readonly content: string | readonly Block[];
}

/** What a model is asked. */
export interface ModelRequest {
  /** The system prompt; empty for none. */
  readonly system: string;
  /** The tools that the model can call. */
  readonly tools: readonly ToolDefinition[];
  /** The conversation. */
  readonly messages: readonly Message[];
  /** The output limit of the response. */
  readonly maxTokens: number;
}
