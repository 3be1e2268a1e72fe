/** What goes to a model and comes back, in the form of the Messages API: the one form that histories are kept in. */

/** One block of a message: text, a tool call, a result, or whatever else the API sends. */
export type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A tool as a model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}
