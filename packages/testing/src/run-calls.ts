/** Runs calls as one response of a model, for tests of tools. */

import { aString, anArray, anObject, checkMembers, required } from "@runahead/base";
import {
  type AnyTool,
  type ExecutorOptions,
  type Outcome,
  type ResultContent,
  StreamingToolExecutor,
} from "@runahead/engine";

/** Options of {@link runCalls}: those of an executor, without the tools. */
export type RunCallsOptions = Omit<ExecutorOptions, "tools">;

/** The result of one call. */
export interface CallResult {
  /** What a model reads. */
  readonly content: ResultContent;
  /** Whether the call failed, was denied or was stopped. */
  readonly isError: boolean;
  /** What the tool returned; undefined if it did not return. */
  readonly output: unknown;
  /** How the call ended. */
  readonly outcome: Outcome;
}

/**
 * Runs calls as if a model had made them in one response, and resolves with one result for each, in order.
 *
 * @example
 * ```ts
 * import { defineTool } from "@runahead/engine";
 * import { runCalls } from "@runahead/testing";
 * import { z } from "zod";
 *
 * const greet = defineTool({
 *   name: "Greet",
 *   description: "Greets.",
 *   inputSchema: z.object({ name: z.string() }),
 *   call: ({ name }) => `Hello ${name}`,
 * });
 * const [result] = await runCalls([greet], [{ name: "Greet", input: { name: "Ada" } }]);
 * console.log(result?.content); // Hello Ada
 * ```
 */
export async function runCalls(
  tools: readonly AnyTool[],
  calls: readonly { readonly name: string; readonly input: unknown }[],
  options: RunCallsOptions = {},
): Promise<CallResult[]> {
  required(anArray)(calls, 'runCalls: "calls"');
  required(anObject)(options, 'runCalls: "options"');
  for (const [at, call] of calls.entries())
    checkMembers(call, { name: required(aString) }, `runCalls: calls[${at}]`);
  const executor = new StreamingToolExecutor({ ...options, tools });
  for (const [at, { name, input }] of calls.entries()) executor.add({ id: `call_${at + 1}`, name, input });
  const results: CallResult[] = [];
  for await (const update of executor.remaining()) {
    if (update.type !== "result") continue;
    const { result, output, outcome } = update;
    results.push({ content: result.content, isError: result.is_error, output, outcome });
  }
  return results;
}
