/** What goes to a model and comes back, in the Messages API's form: the one form that histories are kept in. */

import type { Block, ToolDefinition } from "@runahead/engine/wire";

export type { Block, ToolDefinition };

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string | readonly Block[];
}

export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  readonly maxTokens: number;
}
