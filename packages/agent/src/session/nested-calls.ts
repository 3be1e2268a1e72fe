/** After a crash: what happened to the calls that a call had made, such as those of a script. */

import { type Fate, type JournalEvent, recoverTurn } from "@runahead/engine";

/** The events of nested calls, by the id of the call that made them. */
export type NestedEvents = Map<string, JournalEvent[]>;

export function addNested(nested: NestedEvents, callId: unknown, event: object): void {
  const id = String(callId);
  const events = nested.get(id) ?? [];
  nested.set(id, events);
  events.push(event as JournalEvent);
}

const WORDS = {
  finished: "finished",
  unknown: "was running, its outcome is unknown",
  "never-started": "not run",
} as const;

/** Adds to the result of a call with an unknown outcome what is known about the calls that it had made. */
export function withNestedCalls(fate: Fate, events: readonly JournalEvent[] | undefined): Fate {
  if (fate.fate !== "unknown" || events === undefined || typeof fate.result.content !== "string") return fate;
  const lines = fatesOf(events).map(({ toolName, fate: how }, at) => `${at + 1}. ${toolName}: ${WORDS[how]}`);
  if (lines.length === 0) return fate;
  const content = `${fate.result.content}\nCalls that it had made:\n${lines.join("\n")}`;
  return { ...fate, result: { ...fate.result, content } };
}

function fatesOf(events: readonly JournalEvent[]): readonly Fate[] {
  try {
    return recoverTurn(events, { limit: Number.POSITIVE_INFINITY });
  } catch {
    return [];
  }
}
