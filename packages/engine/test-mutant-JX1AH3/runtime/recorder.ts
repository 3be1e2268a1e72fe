/** Writes events to the journal. If that fails, it is reported, and the turn continues. */

import type { JournalEvent } from "../core/event.ts";
import type { Journal } from "./ports.ts";
import { isThenable } from "./thenable.ts";

export class Recorder {
  readonly #journal: Journal;
  readonly #onFailure: (error: unknown) => void;
  /** An event was not recorded. The next record says so, because recovery must know about it. */
  #hasLost = false;

  constructor(journal: Journal, onFailure: (error: unknown) => void) {
    this.#journal = journal;
    this.#onFailure = onFailure;
  }

  /**
   * Resolves when the event is safe. Returns undefined if it is safe at once, or lost. Never rejects. After a loss, the
   * loss itself is recorded first: otherwise recovery would treat the records as complete.
   */
  record(event: JournalEvent): Promise<void> | undefined {
    if (this.#hasLost) {
      this.#hasLost = false;
      void this.#write({ type: "records-lost" });
    }
    return this.#hasLost ? undefined : this.#write(event);
  }

  #write(event: JournalEvent): Promise<void> | undefined {
    try {
      const saved = this.#journal.record(event);
      return isThenable(saved) ? Promise.resolve(saved).catch(this.#failed) : undefined;
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  readonly #failed = (error: unknown): void => {
    this.#hasLost = true;
    this.#onFailure(error);
  };
}
