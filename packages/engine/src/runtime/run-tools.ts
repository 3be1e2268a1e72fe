/** Runs a batch of calls, for programs without a stream. */

import type { CallRequest } from "../core/call.ts";
import { StreamingToolExecutor } from "./engine.ts";
import { type ExecutorOptions, checkOptions } from "./options.ts";
import type { Update } from "./outbox.ts";
import { wrongType } from "./shapes.ts";
import type { SharedContext } from "./tool.ts";

/**
 * Runs the calls of one complete response, for programs that do not stream.
 *
 * Order, permissions, limits and results are the same as with {@link StreamingToolExecutor}.
 *
 * @throws TypeError if an option, a tool or `calls` is wrong.
 *
 * @example
 * ```ts
 * import { defineTool, runTools } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const weather = defineTool({
 *   name: "Weather",
 *   description: "Returns the weather in a city.",
 *   inputSchema: z.object({ city: z.string() }),
 *   isReadOnly: () => true,
 *   call: ({ city }) => `It is sunny in ${city}.`,
 * });
 * const calls = [{ id: "toolu_1", name: "Weather", input: { city: "Oslo" } }];
 * for await (const update of runTools(calls, { tools: [weather] }))
 *   if (update.type === "result") console.log(update.result.content); // It is sunny in Oslo.
 * ```
 */
export function runTools<Context extends SharedContext = SharedContext>(
  calls: Iterable<CallRequest>,
  options: ExecutorOptions<Context>,
): AsyncIterableIterator<Update> {
  // Checked here first, so that the error names this function.
  checkOptions(options, "runTools");
  const executor = new StreamingToolExecutor(options);
  if (typeof calls?.[Symbol.iterator] !== "function")
    throw wrongType("runTools: calls", "an array of calls", calls);
  for (const call of calls) executor.add(call);
  return executor.remaining();
}
