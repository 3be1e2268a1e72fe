/** The tokens of a run, in the form of the Messages API and by model. */

import type { QueryResult, Usage } from "@runahead/harness";

/** Usage with every member that programs written with the Claude Agent SDK can rely on. */
export function usageOf(usage: Usage | undefined) {
  const written = usage?.cacheWriteTokens ?? 0;
  return {
    input_tokens: usage?.inputTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
    cache_read_input_tokens: usage?.cacheReadTokens ?? 0,
    cache_creation_input_tokens: written,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    server_tool_use: { web_search_requests: usage?.webSearches ?? 0, web_fetch_requests: 0 },
    service_tier: "standard",
  } as const;
}

/** The usage of a prompt by the names of its models. */
export function modelUsageOf({ models }: QueryResult): object {
  return Object.fromEntries(
    models.map(({ model, usage, costUsd, facts }) => [
      model,
      {
        inputTokens: usage.inputTokens,
        outputTokens: usage.outputTokens,
        cacheReadInputTokens: usage.cacheReadTokens,
        cacheCreationInputTokens: usage.cacheWriteTokens,
        webSearchRequests: usage.webSearches ?? 0,
        costUSD: costUsd ?? 0,
        costBasis: costUsd === undefined ? "unknown" : "list",
        contextWindow: facts.contextTokens ?? DEFAULT_WINDOW,
        maxOutputTokens: facts.maxOutputTokens ?? DEFAULT_OUTPUT,
      },
    ]),
  );
}

/** What is assumed of models that the table does not have. */
const DEFAULT_WINDOW = 200_000;
const DEFAULT_OUTPUT = 32_000;
