/** The tokens of a session and what they cost. */

import { NO_USAGE, type Usage, addUsage } from "../model/token-usage.ts";

export interface Spent {
  readonly usage: Usage;
  /** In US dollars; undefined once a model without a known price was used: that is not zero. */
  readonly costUsd: number | undefined;
}

export const NOTHING_SPENT: Spent = { usage: NO_USAGE, costUsd: 0 };

/** Adds the usage and cost of an entry, whose members can be missing or malformed. */
export function addSpent({ usage, costUsd }: Spent, entry: Readonly<Record<string, unknown>>): Spent {
  const added = addUsage(NO_USAGE, entry["usage"]);
  const isNothing = Object.values(added).every((count) => count === 0);
  return { usage: addUsage(usage, added), costUsd: isNothing ? costUsd : sum(costUsd, entry["costUsd"]) };
}

function sum(before: number | undefined, added: unknown): number | undefined {
  return before === undefined || typeof added !== "number" ? undefined : before + added;
}
