/** The engine's record of one turn: which of its events must be on disk before the engine goes on. */

import type { Access, Journal, JournalEvent } from "@runahead/engine";

export interface EventLog {
  append(event: JournalEvent): void;
  /** Never fails: what cannot be saved has been told. */
  sync(): Promise<void>;
}

/** Waits for what ends a call, and for everything once a call that writes has come in (promise 4). */
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
