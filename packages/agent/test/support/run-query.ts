/** A query, run to its end: what was heard, and how it ended. */

import type { AgentEvent, QueryResult } from "../../src/loop/event.ts";
import type { QueryOptions } from "../../src/loop/options.ts";
import { query } from "../../src/loop/query.ts";

export async function runQuery(
  options: QueryOptions,
): Promise<{ readonly events: AgentEvent[]; readonly result: QueryResult }> {
  const events: AgentEvent[] = [];
  const running = query(options);
  for (;;) {
    const next = await running.next();
    if (next.done === true) return { events, result: next.value };
    events.push(next.value);
  }
}
