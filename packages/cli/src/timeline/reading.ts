/** Events as they may come from tools of others: nothing in them is relied on. */

import type { AgentEvent } from "@runahead/agent";
import type { CallOutcome } from "./model.ts";
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
}

/** In a word: messages may quote what was read or written. */
export function outcomeOf(given: unknown): Ended {
  const outcome = (given ?? {}) as Record<string, unknown>;
  const word = (value: unknown): string => oneLine(value, DETAIL_CHARS);
  switch (outcome["type"]) {
    case "succeeded":
      return { outcome: "succeeded", detail: "" };
    case "denied":
      return { outcome: "denied", detail: word(outcome["by"]) };
    case "aborted": {
      const { kind } = (outcome["cause"] ?? {}) as { kind?: unknown };
      return { outcome: outcome["effect"] === "none" ? "not-run" : "stopped", detail: word(kind) };
    }
    default:
      return { outcome: "failed", detail: word(outcome["fault"]) };
  }
}
