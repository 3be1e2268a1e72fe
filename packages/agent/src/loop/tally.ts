/** Counts what the answer to one prompt has used, with its sub-agents, and checks its limits. */

import type { Model, Usage } from "../model/event.ts";
import { factsOf } from "../model/models.ts";
import { type Price, costOf } from "../model/price.ts";
import { NO_USAGE, addUsage } from "../model/token-usage.ts";
import type { End } from "./event.ts";
import type { Budget } from "./options.ts";

/** Tokens, cost and calls. */
export interface Spent {
  readonly usage: Usage;
  /** Undefined if the price of a model is unknown: that is not zero. */
  readonly costUsd: number | undefined;
  readonly calls: number;
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
  usage: Usage = NO_USAGE;
  /** Undefined once a model without a known price was used: that is not zero. */
  costUsd: number | undefined = 0;
  turns = 0;
  calls = 0;

  /** `upward` is set for a sub-agent: what it spends counts for the whole session. */
  constructor(price: Price | undefined, upward?: Upward) {
    this.#price = price;
    this.#upward = upward;
  }

  /** Returns the cost of this usage; undefined if the price is unknown. */
  add(usage: Usage, model: Pick<Model, "name" | "facts">): number | undefined {
    const costUsd = this.costOf(usage, model);
    this.addSpent({ usage, costUsd, calls: 0 });
    return costUsd;
  }

  /** Undefined if the price is unknown. */
  costOf(usage: Usage, model: Pick<Model, "name" | "facts">): number | undefined {
    const price = this.#price ?? factsOf(model).price;
    return price === undefined ? undefined : costOf(usage, price);
  }

  addCalls(calls: number): void {
    this.addSpent({ usage: NO_USAGE, costUsd: 0, calls });
  }

  addSpent(spent: Spent): void {
    this.usage = addUsage(this.usage, spent.usage);
    this.costUsd =
      this.costUsd === undefined || spent.costUsd === undefined ? undefined : this.costUsd + spent.costUsd;
    this.calls += spent.calls;
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
