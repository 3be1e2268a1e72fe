/** The default journal: the latest events, in memory. */

import type { JournalEvent } from "../core/event.ts";
import type { Journal } from "./ports.ts";

/** Keeps the events of a turn in memory. */
export interface MemoryJournal extends Journal {
  /** The events that are kept, oldest first. */
  readonly events: readonly JournalEvent[];
}

/**
 * Creates a journal that keeps every event, for tests and for programs that replay a turn.
 *
 * Its memory grows with the turn. The default of an executor is {@link memoryJournal}, which does not grow.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor, fullJournal, recoverTurn } from "@runahead/engine";
 *
 * const journal = fullJournal();
 * const executor = new StreamingToolExecutor({ tools: [], journal });
 * executor.end();
 * console.log(recoverTurn(journal.events)); // []
 * ```
 */
export function fullJournal(): MemoryJournal {
  const events: JournalEvent[] = [];
  return { events, record: (event) => void events.push(event) };
}

const DEFAULT_KEPT = 256;

/**
 * Creates a journal that keeps the latest events, so that a turn of any size needs constant memory.
 *
 * @param kept - How many events are kept. Default: 256.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor, memoryJournal } from "@runahead/engine";
 *
 * const journal = memoryJournal(1_000);
 * const executor = new StreamingToolExecutor({ tools: [], journal });
 * executor.end();
 * console.log(journal.events.map(({ type }) => type)); // ["response-ended"]
 * ```
 */
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
