/** Requests and messages, in the form of the Messages API. All histories have this form. */

import type { JsonSchema } from "@runahead/engine";
import type { Block, ToolDefinition } from "@runahead/engine/wire";
import type { ToolChoice } from "./tool-choice.ts";

export type { Block, ToolDefinition };

/** One entry of a conversation, in the form of the Messages API. */
export interface Message {
  /** The author. Results of calls are user messages. */
  readonly role: "user" | "assistant";
  /** A text, or content blocks. */
  readonly content: string | readonly Block[];
}

/** A request to a model. */
export interface ModelRequest {
  /** The system prompt; empty for none. */
  readonly system: string;
  /** The tools that the model can call. */
  readonly tools: readonly ToolDefinition[];
  /** The conversation. */
  readonly messages: readonly Message[];
  /** The output limit of the response. */
  readonly maxTokens: number;
  /** Whether the model calls tools. Default: `auto`. */
  readonly toolChoice?: ToolChoice;
  /** The JSON Schema of the answer, for models whose facts say `structuredOutput`. Default: any text. */
  readonly outputSchema?: JsonSchema;
}
