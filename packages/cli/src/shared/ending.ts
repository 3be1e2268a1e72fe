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
  return `${sentence(REASONS[reason], detail)}${REMEDIES[reason] ?? ""}`;
}

/** The same for a session on a server, which a newer version can run. Undefined if it was just done. */
export function runEndWords(reason: string, detail: string): string | undefined {
  if (reason === "completed") return undefined;
  return sentence(Object.hasOwn(REASONS, reason) ? REASONS[reason as Reason] : reason, detail);
}

function sentence(words: string, detail: string): string {
  if (detail === "") return `${words}.`;
  return `${words}: ${detail}${".!?".includes(detail.at(-1) ?? "") ? "" : "."}`;
}
