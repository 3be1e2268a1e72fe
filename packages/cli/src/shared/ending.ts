/** Why a run ended, as text for users. */

import type { QueryResult } from "@runahead/harness";

type Reason = QueryResult["reason"];

const REASONS: Readonly<Record<Reason, string>> = {
  completed: "Done",
  max_turns: "Stopped at the turn limit",
  budget: "Stopped at the budget limit",
  aborted_streaming: "Interrupted",
  aborted_tools: "Interrupted",
  // The detail says who ended the turn: a hook, or the user by rejecting a call.
  hook_stopped: "Stopped",
  deferred: "Waiting for an answer",
  model_error: "The model request failed",
};

const REMEDIES: Partial<Readonly<Record<Reason, string>>> = {
  deferred: " Resume the session to answer it.",
  max_turns: " Send another prompt to continue, or raise --max-turns.",
  budget: " Send another prompt to continue, or raise --max-budget-usd.",
};

/** Says why a run ended, in a sentence without internal codes, and how to continue after a limit. */
export function endingWords({ reason, detail }: Pick<QueryResult, "reason" | "detail">): string {
  const remedy = REMEDIES[reason] ?? "";
  if (detail === "") return `${REASONS[reason]}.${remedy}`;
  const stop = ".!?".includes(detail.at(-1) ?? "") ? "" : ".";
  return `${REASONS[reason]}: ${detail}${stop}${remedy}`;
}
