/** The tokens of a run, in the form of the Messages API and by model. */

import type { QueryResult, Usage } from "@runahead/harness";

export function usageOf(usage: Usage | undefined): Readonly<Record<string, number>> {
  return {
    input_tokens: usage?.inputTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
    cache_read_input_tokens: usage?.cacheReadTokens ?? 0,
    cache_creation_input_tokens: usage?.cacheWriteTokens ?? 0,
  };
}

/** The usage of a prompt by the name of its model. */
export function modelUsageOf(model: string, { usage, costUsd }: QueryResult): object {
  return {
    [model]: {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadInputTokens: usage.cacheReadTokens,
      cacheCreationInputTokens: usage.cacheWriteTokens,
      webSearchRequests: 0,
      costUSD: costUsd ?? 0,
      contextWindow: 200_000,
      maxOutputTokens: 32_000,
    },
  };
}
