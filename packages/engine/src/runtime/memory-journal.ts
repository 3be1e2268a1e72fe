/** The default journal: the latest events, in memory. */

import type { JournalEvent } from "../core/event.ts";
import type { Journal } from "./ports.ts";

export interface MemoryJournal extends Journal {
  /** The events that are kept, oldest first. */
  readonly events: readonly JournalEvent[];
}

/** Keeps every event; for tests and for callers that replay. */
export function fullJournal(): MemoryJournal {
  const events: JournalEvent[] = [];
  return { events, record: (event) => void events.push(event) };
}

const DEFAULT_KEPT = 256;

/** Keeps the latest events, so that a turn of any size holds a constant. */
export function memoryJournal(kept = DEFAULT_KEPT): MemoryJournal {
  const ring: JournalEvent[] = [];
  let next = 0;
  return {
    get events() {
      return [...ring.slice(next), ...ring.slice(0, next)];
    },
    record(event) {
      ring[next] = event;
      next = (next + 1) % kept;
    },
  };
}
