/** Token counts of OpenAI's APIs and of compatible servers. Their input includes what the cache has; ours does not. */

import { type Shape, isShape, shapeOf } from "@runahead/base";

/** Returns the counts with the names of the Messages API. */
export function openAiCounts(usage: Shape): Shape {
  const { prompt_tokens, completion_tokens, input_tokens, output_tokens, prompt_cache_hit_tokens } = usage;
  const details = shapeOf(usage["input_tokens_details"] ?? usage["prompt_tokens_details"]);
  const read = firstCount([
    details["cached_tokens"],
    prompt_cache_hit_tokens,
    usage["cached_tokens"],
    usage["num_cached_tokens"],
    usage["cache_read_input_tokens"],
  ]);
  const written = firstCount([
    details["cache_write_tokens"],
    details["cache_creation_tokens"],
    details["cache_creation_input_tokens"],
    usage["cache_creation_input_tokens"],
  ]);
  const given = input_tokens ?? prompt_tokens;
  const output = output_tokens ?? completion_tokens;
  const total = usage["total_tokens"];
  const cached = read + written;
  const thought = shapeOf(usage["output_tokens_details"] ?? usage["completion_tokens_details"])[
    "reasoning_tokens"
  ];
  // Some gateways count what the cache has beside the input, as the Messages API does: the total shows it.
  const isBeside =
    typeof given === "number" && thought !== cached && total === sumOf([given, output, cached]);
  const input = isBeside ? given + cached : given;
  return {
    input_tokens: typeof input === "number" ? Math.max(0, input - cached) : input,
    output_tokens: outputOf({ input, output, total }),
    // Without a count of the input, nothing is known about it.
    ...(typeof input === "number"
      ? { cache_read_input_tokens: read, cache_creation_input_tokens: written }
      : {}),
  };
}

/** Some servers, such as those of xAI and Google, leave thinking out of the output and count it only in the total. */
export function outputOf({
  input,
  output,
  total,
}: Readonly<Record<"input" | "output" | "total", unknown>>): unknown {
  if (typeof input !== "number" || typeof output !== "number" || typeof total !== "number") return output;
  return Math.max(output, total - input);
}

/** Finds the counts in a chunk of Chat Completions: some servers put them beside the choice, or under their own name. */
export function usageIn(chunk: Shape, choice: Shape): unknown {
  const places = [chunk["usage"], choice["usage"], shapeOf(chunk["x_groq"])["usage"]];
  return places.find((usage) => isShape(usage));
}

/** Undefined if one of them is not known. */
function sumOf(counts: readonly unknown[]): number | undefined {
  let sum = 0;
  for (const count of counts) {
    if (typeof count !== "number") return undefined;
    sum += count;
  }
  return sum;
}

/** Servers have different names for the same count. */
function firstCount(values: readonly unknown[]): number {
  for (const value of values)
    if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  return 0;
}
