/** What an imported session used: tokens by model, and their cost if the prices are known. */

import type { Usage } from "@runahead/agent";
import { addUsage, costOf, knownFacts } from "@runahead/agent/internal";
import { type Shape, isShape } from "@runahead/base";
import { type NumberedLine, textIn } from "./foreign.ts";

/** The tokens of one model. */
export interface Spending {
  readonly model: string;
  readonly usage: Usage;
  /** In US dollars; undefined if the price is not known. */
  readonly costUsd: number | undefined;
}

/** Lines of one response repeat its usage, so the last one of each id counts. Sub-agents are included. */
export function claudeSpending(lines: readonly NumberedLine[]): Spending[] {
  const responses = new Map<string, { readonly model: string; readonly usage: Usage }>();
  for (const { line, value } of lines) {
    const { type, message } = value;
    if (type !== "assistant" || !isShape(message) || !isShape(message["usage"])) continue;
    const model = textIn(message["model"]);
    if (model === "<synthetic>") continue;
    const { usage } = message;
    responses.set(textIn(message["id"]) || `line ${line}`, {
      model,
      usage: {
        inputTokens: count(usage["input_tokens"]),
        outputTokens: count(usage["output_tokens"]),
        cacheReadTokens: count(usage["cache_read_input_tokens"]),
        cacheWriteTokens: count(usage["cache_creation_input_tokens"]),
      },
    });
  }
  return byModel([...responses.values()]);
}

/** Codex writes the totals of the session after each response. */
export function codexSpending(lines: readonly NumberedLine[]): Spending[] {
  const payloads = lines.flatMap(({ value }): Shape[] =>
    isShape(value["payload"]) ? [value["payload"]] : [],
  );
  const model = textIn(payloads.findLast((one) => typeof one["model"] === "string")?.["model"]);
  const last = payloads.findLast((one) => one["type"] === "token_count" && isShape(one["info"]));
  const info = isShape(last?.["info"]) ? last["info"] : {};
  const total = info["total_token_usage"];
  if (!isShape(total)) return [];
  const cached = count(total["cached_input_tokens"]);
  const usage = {
    inputTokens: Math.max(0, count(total["input_tokens"]) - cached),
    outputTokens: count(total["output_tokens"]),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  };
  return byModel([{ model, usage }]);
}

function byModel(all: readonly { readonly model: string; readonly usage: Usage }[]): Spending[] {
  const sums = new Map<string, Usage>();
  for (const { model, usage } of all) {
    const before = sums.get(model);
    sums.set(model, before === undefined ? usage : addUsage(before, usage));
  }
  return [...sums].map(([model, usage]) => {
    const price = model === "" ? undefined : knownFacts(model)?.price;
    return { model, usage, costUsd: price === undefined ? undefined : costOf(usage, price) };
  });
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
