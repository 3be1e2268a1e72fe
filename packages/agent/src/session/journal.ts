/** The engine's journal of one turn. Decides which events must be on disk before the engine continues. */

import type { Access, Journal, JournalEvent } from "@runahead/engine";

export interface EventLog {
  append(event: JournalEvent): void;
  /** Never rejects: what cannot be saved has already been reported. */
  sync(): Promise<void>;
}

/** Waits for the disk on each event that ends a call, and on every event once a call that writes has arrived (promise 4). */
export function turnJournal(log: EventLog): Journal {
  let hasWriter = false;
  return {
    record(event) {
      hasWriter ||= accessIn(event)?.readOnly === false;
      log.append(event);
      return hasWriter || endsCall(event) ? log.sync() : undefined;
    },
  };
}

function accessIn(event: JournalEvent): Access | undefined {
  switch (event.type) {
    case "call-arrived":
    case "call-located":
      return event.access;
    case "call-judged":
    case "call-answered":
      return event.judgement.behavior === "deny" ? undefined : event.judgement.change?.access;
    default:
      return undefined;
  }
}

function endsCall(event: JournalEvent): boolean {
  switch (event.type) {
    case "call-finished":
    case "call-timed-out":
    case "call-ignored-stop":
    case "call-rejected":
      return true;
    case "call-judged":
    case "call-answered":
      return event.judgement.behavior === "deny";
    default:
      return false;
  }
}
