/** What goes to a model and comes back, in the Messages API's form: the one form that histories are kept in. */

export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string | readonly Block[];
}

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  readonly maxTokens: number;
}
