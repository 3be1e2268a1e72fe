/** How much a model thinks, in the words of each API. */

import { type Check, aPositiveNumber, isShape, oneOf, withOptions, wrong } from "@runahead/base";
import type { ModelFacts } from "./models.ts";

/** From least to most. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** How much a model thinks and does, from least to most. */
export type Effort = (typeof EFFORTS)[number];

/**
 * Whether a model thinks before it answers: `adaptive` lets it decide, `off` turns thinking off where that is
 * possible, and a budget limits its tokens.
 */
export type Thinking =
  | "adaptive"
  | "off"
  | {
      /** The most tokens that it thinks for. At least 1,024. */
      readonly budgetTokens: number;
    };

/** Options of models that can think. */
export interface ThinkingOptions {
  /** How much the model thinks and does. A level that it does not have becomes the next lower one. Default: the model's own. */
  readonly effort?: Effort;
  /** Whether it thinks before it answers. Default: the model's own. */
  readonly thinking?: Thinking;
}

export const anEffort: Check = oneOf(...EFFORTS);

export const aThinking: Check = (value, what) => {
  if (value === undefined || value === "adaptive" || value === "off") return;
  if (!isShape(value)) throw wrong(what, '"adaptive", "off" or { budgetTokens }', value);
  withOptions({ budgetTokens: aPositiveNumber })(value, what);
};

type Body = Readonly<Record<string, unknown>>;

/** For models that take only a budget. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  low: 4_000,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 64_000,
};
const LEAST_BUDGET = 1_024;

/** Returns the members of a request to the Messages API. */
export function anthropicThinking(options: ThinkingOptions, facts: ModelFacts, maxTokens: number): Body {
  const { effort, thinking } = options;
  const level = effort && nearest(effort, facts.efforts);
  return {
    ...(level === undefined ? {} : { output_config: { effort: level } }),
    ...thinkingMember(options, facts, maxTokens),
    ...(thinking === "off" ? { thinking: { type: "disabled" } } : {}),
  };
}

function thinkingMember({ effort, thinking }: ThinkingOptions, facts: ModelFacts, maxTokens: number): Body {
  if (thinking === "off" || (effort === undefined && thinking === undefined) || facts.thinking === "none")
    return {};
  const wished = typeof thinking === "object" ? thinking.budgetTokens : BUDGETS[effort ?? "high"];
  const takesBudget =
    facts.thinking === "budget" || (facts.thinking === undefined && typeof thinking === "object");
  // The newer models refuse a budget.
  if (!takesBudget) return { thinking: { type: "adaptive" } };
  // The budget is a part of the output, and must leave room for the answer.
  const budget = Math.min(Math.floor(wished), maxTokens - LEAST_BUDGET);
  return budget < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/** Returns the level of effort for OpenAI's APIs; undefined to leave it to the model. */
export function openAiEffort(options: ThinkingOptions, facts: ModelFacts): string | undefined {
  if (facts.efforts?.length === 0) return undefined;
  return options.thinking === "off" ? "none" : effortOf(options, facts);
}

/** Returns the level that a model has and that fits what is asked for; undefined to leave it to the model. */
export function effortOf({ effort, thinking }: ThinkingOptions, facts: ModelFacts): Effort | undefined {
  if (effort !== undefined) return nearest(effort, facts.efforts);
  return typeof thinking === "object" ? nearest(effortFor(thinking.budgetTokens), facts.efforts) : undefined;
}

/** Returns the budget that fits what is asked for. */
export function budgetFor({ effort, thinking }: ThinkingOptions): number {
  return typeof thinking === "object" ? Math.floor(thinking.budgetTokens) : BUDGETS[effort ?? "high"];
}

function effortFor(budget: number): Effort {
  return EFFORTS.findLast((effort) => BUDGETS[effort] <= budget) ?? "low";
}

/** Returns the highest level that a model has, up to the one that is asked for. */
function nearest(effort: Effort, has: readonly Effort[] = EFFORTS): Effort | undefined {
  const upTo = EFFORTS.slice(0, EFFORTS.indexOf(effort) + 1);
  return upTo.findLast((each) => has.includes(each));
}
