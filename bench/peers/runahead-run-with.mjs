/** Ours, inside the Anthropic SDK: `runWith` with the SDK's client. */

import Anthropic from "@anthropic-ai/sdk";
import { runWith } from "@runahead/adapters/sdk";
import { define } from "./runahead.mjs";
import { check } from "./runahead-query.mjs";
import { firstMessage } from "./sse.mjs";

export function prepare({ baseURL, trace, tools: given }) {
  const client = new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 });
  const tools = given.map(define);
  const params = { model: "claude-sonnet-4-6", max_tokens: 4096, messages: [firstMessage] };
  return async () => {
    const running = runWith(client, params, tools, { limit: trace.limit ?? 10 });
    check(await running.result());
  };
}
