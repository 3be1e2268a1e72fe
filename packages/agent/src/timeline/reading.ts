/** Events as they may come from tools of others: nothing in them is relied on. */

import type { AgentEvent } from "../loop/event.ts";
import type { CallOutcome, QueueState } from "./model.ts";
import { oneLine } from "./words.ts";

const DETAIL_CHARS = 40;

export function isEvent(value: unknown): value is AgentEvent {
  return typeof value === "object" && value !== null && typeof (value as AgentEvent).type === "string";
}

/** What is no number counts as nothing. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export interface Ended {
  readonly outcome: CallOutcome;
  readonly detail: string;
  /** What the model reads of it; of any form. */
  readonly output: unknown;
}

/** In a word: messages may quote what was read or written. */
export function outcomeOf(given: unknown): Ended {
  const outcome = (given ?? {}) as Record<string, unknown>;
  const word = (value: unknown): string => oneLine(value, DETAIL_CHARS);
  switch (outcome["type"]) {
    case "succeeded":
      return { outcome: "succeeded", detail: "", output: outcome["content"] };
    case "denied":
      return { outcome: "denied", detail: word(outcome["by"]), output: outcome["reason"] };
    case "aborted": {
      const { kind } = (outcome["cause"] ?? {}) as { kind?: unknown };
      const ended = outcome["effect"] === "none" ? "not-run" : "stopped";
      return { outcome: ended, detail: word(kind), output: outcome["output"] };
    }
    default:
      return { outcome: "failed", detail: word(outcome["fault"]), output: outcome["message"] };
  }
}

export function queueStateOf(value: unknown): QueueState {
  return value === "judging" || value === "asking" ? value : "waiting";
}
