/** Ours, the whole loop: `query()` with `anthropic()`, as most programs use it. */

import { anthropic, query } from "@runahead/agent";
import { define } from "./runahead.mjs";

/** Options of the loop for a trace. Compaction would summarise the conversation, which no other library does. */
export function optionsFor({ baseURL, trace, tools }) {
  return {
    model: anthropic({ model: "claude-sonnet-4-6", apiKey: "none", baseURL }),
    tools: tools.map(define),
    limit: trace.limit ?? 10,
    autoCompact: false,
    maxTokens: 4096,
  };
}

export function check({ reason, detail }) {
  if (reason !== "completed") throw new Error(`${reason}: ${detail}`);
}

export function prepare(given) {
  const options = optionsFor(given);
  return async () => {
    for await (const event of query({ ...options, prompt: "go" }))
      if (event.type === "ended") check(event.result);
  };
}
