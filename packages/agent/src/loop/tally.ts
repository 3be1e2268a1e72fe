/** Counts what the answer to one prompt has used, and checks its limits. */

import type { Model, Usage } from "../model/event.ts";
import { factsOf } from "../model/models.ts";
import { type Price, costOf } from "../model/price.ts";
import { NO_USAGE, addUsage } from "../model/token-usage.ts";
import type { End } from "./event.ts";
import type { Budget } from "./options.ts";

export class Tally {
  readonly #begun = performance.now();
  readonly #price: Price | undefined;
  usage: Usage = NO_USAGE;
  /** Undefined once a model without a known price was used: that is not zero. */
  costUsd: number | undefined = 0;
  turns = 0;
  calls = 0;

  constructor(price: Price | undefined) {
    this.#price = price;
  }

  add(usage: Usage, model: Pick<Model, "name" | "facts">): void {
    this.usage = addUsage(this.usage, usage);
    const price = this.#price ?? factsOf(model).price;
    this.costUsd =
      this.costUsd === undefined || price === undefined ? undefined : this.costUsd + costOf(usage, price);
  }

  /** Returns the end if a limit is reached. */
  over(budget: Budget, maxTurns: number): End | undefined {
    if (this.turns >= maxTurns) return { reason: "max_turns", detail: `${maxTurns} turns` };
    const { inputTokens, outputTokens } = this.usage;
    const ms = performance.now() - this.#begun;
    const spent = [
      this.#beyond(inputTokens + outputTokens, budget.tokens, "tokens"),
      this.#beyond(this.costUsd ?? 0, budget.costUsd, "USD"),
      this.#beyond(this.calls, budget.calls, "calls"),
      this.#beyond(Math.round(ms), budget.ms, "ms"),
    ];
    const detail = spent.find((one) => one !== undefined);
    return detail === undefined ? undefined : { reason: "budget", detail };
  }

  #beyond(taken: number, limit: number | undefined, unit: string): string | undefined {
    return limit === undefined || taken < limit ? undefined : `${taken} ${unit}`;
  }
}
