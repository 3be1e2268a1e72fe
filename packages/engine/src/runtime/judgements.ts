/** The verdicts that the judge gives by itself, in the form in which the journal records them. */

import type { Judgement } from "../core/event.ts";
import { NOBODY, type Outcome } from "../core/outcome.ts";
import { messageOf, toText } from "./serialise.ts";

/** Cleans a reason or message that came from outside. */
export function words(text: unknown): string {
  return typeof text === "string" ? text : toText(text ?? "");
}

export function denied(by: string, reason: string, endTurn: boolean): Judgement {
  const outcome: Outcome = { type: "denied", by, reason };
  return { behavior: "deny", outcome, endTurn: endTurn ? `${by} ended the turn` : undefined };
}

export function invalid(message: string): Judgement {
  return {
    behavior: "deny",
    outcome: { type: "failed", fault: "invalid-input", message },
    endTurn: undefined,
  };
}

export function noVerdict(error: unknown): Judgement {
  return denied("permissions", `canUseTool failed, so there is no verdict: ${messageOf(error)}`, false);
}

export function unanswered(toolName: string, reason: string): Judgement {
  return denied(
    NOBODY,
    `${toolName} needs permission and nobody can be asked in this run. Do not work around it; continue without it and say what you needed. ${reason}`.trimEnd(),
    false,
  );
}
