/** Counts what the answer to one prompt has used, with its sub-agents, and checks its limits. */

import type { Model, Usage } from "../model/event.ts";
import { type ModelFacts, factsOf } from "../model/models.ts";
import { type Price, costOf } from "../model/price.ts";
import { NO_USAGE, addUsage } from "../model/token-usage.ts";
import type { End } from "./event.ts";
import type { Budget } from "./options.ts";

/** What one of the models has used. */
export interface ModelSpent {
  /** The name of the model. */
  readonly model: string;
  /** Its tokens. */
  readonly usage: Usage;
  /** The cost in US dollars; undefined if the price of the model is unknown. */
  readonly costUsd: number | undefined;
  /** What is known about the model. */
  readonly facts: ModelFacts;
}

/** Tokens, cost and calls. */
export interface Spent {
  readonly usage: Usage;
  /** Undefined if the price of a model is unknown: that is not zero. */
  readonly costUsd: number | undefined;
  readonly calls: number;
  /** The tokens and the cost of each model. */
  readonly models: readonly ModelSpent[];
}

export const NOTHING_SPENT: Spent = { usage: NO_USAGE, costUsd: 0, calls: 0, models: [] };

export function sumOf(one: Spent, other: Spent): Spent {
  return {
    usage: addUsage(one.usage, other.usage),
    costUsd: sumOfCosts(one.costUsd, other.costUsd),
    calls: one.calls + other.calls,
    models: other.models.reduce(withModel, one.models),
  };
}

function withModel(models: readonly ModelSpent[], more: ModelSpent): readonly ModelSpent[] {
  const at = models.findIndex(({ model }) => model === more.model);
  const before = models[at];
  if (before === undefined) return [...models, more];
  const usage = addUsage(before.usage, more.usage);
  return models.with(at, { ...more, usage, costUsd: sumOfCosts(before.costUsd, more.costUsd) });
}

function sumOfCosts(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

/** The tally that counts for the budget of a sub-agent, and where its spending is added. */
export interface Upward {
  readonly tally: Tally | undefined;
  spent(spent: Spent): void;
}

export class Tally {
  readonly #begun = performance.now();
  readonly #price: Price | undefined;
  readonly #upward: Upward | undefined;
  #spent = NOTHING_SPENT;
  turns = 0;

  /** `upward` is set for a sub-agent: what it spends counts for the whole session. */
  constructor(price: Price | undefined, upward?: Upward) {
    this.#price = price;
    this.#upward = upward;
  }

  get usage(): Usage {
    return this.#spent.usage;
  }

  /** Undefined once a model without a known price was used: that is not zero. */
  get costUsd(): number | undefined {
    return this.#spent.costUsd;
  }

  get calls(): number {
    return this.#spent.calls;
  }

  get models(): readonly ModelSpent[] {
    return this.#spent.models;
  }

  /** Returns the cost of this usage; undefined if the price is unknown. */
  add(usage: Usage, model: Pick<Model, "name" | "facts">): number | undefined {
    const costUsd = this.costOf(usage, model);
    const ofModel = { model: model.name, usage, costUsd, facts: factsOf(model) };
    this.addSpent({ usage, costUsd, calls: 0, models: [ofModel] });
    return costUsd;
  }

  /** Undefined if the price is unknown. */
  costOf(usage: Usage, model: Pick<Model, "name" | "facts">): number | undefined {
    const price = this.#price ?? factsOf(model).price;
    return price === undefined ? undefined : costOf(usage, price);
  }

  addCalls(calls: number): void {
    this.addSpent({ ...NOTHING_SPENT, calls });
  }

  addSpent(spent: Spent): void {
    this.#spent = sumOf(this.#spent, spent);
    this.#upward?.spent(spent);
  }

  /** Returns the end if a limit is reached. A budget holds for the main agent and all its sub-agents together. */
  over(budget: Budget, maxTurns: number): End | undefined {
    if (this.turns >= maxTurns) return { reason: "max_turns", detail: `${maxTurns} turns` };
    return (this.#upward?.tally ?? this).#overBudget(budget);
  }

  #overBudget(budget: Budget): End | undefined {
    const { inputTokens, outputTokens } = this.usage;
    const ms = performance.now() - this.#begun;
    const spent = [
      beyond(inputTokens + outputTokens, budget.tokens, "tokens"),
      beyond(this.costUsd ?? 0, budget.costUsd, "USD"),
      beyond(this.calls, budget.calls, "calls"),
      beyond(Math.round(ms), budget.ms, "ms"),
    ];
    const detail = spent.find((one) => one !== undefined);
    return detail === undefined ? undefined : { reason: "budget", detail };
  }
}

function beyond(taken: number, limit: number | undefined, unit: string): string | undefined {
  return limit === undefined || taken < limit ? undefined : `${taken} ${unit}`;
}
