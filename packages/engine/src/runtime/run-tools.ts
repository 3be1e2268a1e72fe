/** The batch form, for callers without a stream. */

import type { CallRequest } from "../core/call.ts";
import { StreamingToolExecutor } from "./engine.ts";
import type { ExecutorOptions } from "./options.ts";
import type { Update } from "./outbox.ts";
import type { SharedContext } from "./tool.ts";

/** Runs the calls of one response through the same core as a stream's, and gives the same updates. */
export function runTools<Context extends SharedContext = SharedContext>(
  calls: Iterable<CallRequest>,
  options: ExecutorOptions<Context>,
): AsyncIterableIterator<Update> {
  const executor = new StreamingToolExecutor(options);
  for (const call of calls) executor.add(call);
  return executor.remaining();
}
