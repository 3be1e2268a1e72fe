/** Why a run ended, as text for users. */

import type { QueryResult } from "@runahead/harness";

const REASONS: Readonly<Record<QueryResult["reason"], string>> = {
  completed: "Done",
  max_turns: "Stopped at the turn limit",
  budget: "Stopped at the budget limit",
  aborted_streaming: "Interrupted",
  aborted_tools: "Interrupted",
  hook_stopped: "Stopped by a hook",
  model_error: "The model request failed",
};

/** Says why a run ended, in a sentence without internal codes. */
export function endingWords({ reason, detail }: Pick<QueryResult, "reason" | "detail">): string {
  if (detail === "") return `${REASONS[reason]}.`;
  return `${REASONS[reason]}: ${detail}${".!?".includes(detail.at(-1) ?? "") ? "" : "."}`;
}
