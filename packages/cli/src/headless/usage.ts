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
        contextWindow: facts.contextTokens ?? DEFAULT_WINDOW,
        maxOutputTokens: facts.maxOutputTokens ?? DEFAULT_OUTPUT,
      },
    ]),
  );
}

/** What is assumed of models that the table does not have. */
const DEFAULT_WINDOW = 200_000;
const DEFAULT_OUTPUT = 32_000;
