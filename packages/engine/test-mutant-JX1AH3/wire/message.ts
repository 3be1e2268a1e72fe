/** Messages in the format of the Messages API, the format of all histories. */

/** Holds one block of a message: text, a tool call, a result, or anything else that the API sends. */
export type Block = {
  /** `text`, `tool_use`, `tool_result`, and so on. */
  readonly type: string;
} & Readonly<Record<string, unknown>>;

/** Describes a tool to a model, in the format of the Messages API. */
export interface ToolDefinition {
  /** The name that the model calls it by. */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** The JSON Schema of its input. */
  readonly input_schema: Readonly<Record<string, unknown>>;
}
