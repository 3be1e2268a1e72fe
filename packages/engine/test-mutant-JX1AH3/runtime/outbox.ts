/** The updates for the caller: progress at once, results in the model's order, each once. */

import type { Outcome, ToolResult } from "../core/outcome.ts";
import { Fifo } from "../core/queue.ts";

/** Holds what a caller reads: progress of a running call as it happens, and one result per call in the model's order. */
export type Update =
  | {
      readonly type: "progress";
      /** The id of the call. */
      readonly callId: string;
      /** What the tool passed to `context.progress`. */
      readonly data: unknown;
    }
  | {
      readonly type: "result";
      readonly callId: string;
      /** What goes back to the model. */
      readonly result: ToolResult;
      /** What the tool returned; undefined if it did not return. */
      readonly output: unknown;
      /** How the call ended. */
      readonly outcome: Outcome;
    };

/** How many unread progress reports of one call are kept. Above that, the oldest are dropped. */
const UNREAD_PROGRESS = 256;

type ResultUpdate = Extract<Update, { type: "result" }>;

/** A result, or a note that a call has progress. */
type Entry = ResultUpdate | { readonly type: "unread"; readonly callId: string };

/** A reader that waits for an update. */
export interface Waiting {
  /** There may be an update to read. */
  wake(): void;
}

export class Outbox {
  readonly #entries = new Fifo<Entry>();
  readonly #progress = new Map<string, Fifo<unknown>>();
  readonly #waiting = new Fifo<Waiting>();
  /** The reader that waits now. A second one would take updates away from it. */
  reader: object | undefined;
  #closed = false;

  progress(callId: string, data: unknown): void {
    if (this.#closed) return;
    let unread = this.#progress.get(callId);
    if (unread === undefined) this.#progress.set(callId, (unread = new Fifo()));
    unread.push(data);
    if (unread.size > UNREAD_PROGRESS) unread.shift();
    else this.#push({ type: "unread", callId });
  }

  result(update: ResultUpdate): void {
    this.#push(update);
  }

  /** Returns the next update, if one is available. */
  take(): Update | undefined {
    const entry = this.#closed ? undefined : this.#entries.shift();
    if (entry === undefined) return undefined;
    if (entry.type === "result") {
      if (this.#progress.size > 0) this.#progress.delete(entry.callId);
      return entry;
    }
    const data = this.#progress.get(entry.callId)?.shift();
    return { type: "progress", callId: entry.callId, data };
  }

  /** Readers wake in the order in which they began to wait, one for each update. */
  wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** There are no more updates: wakes all readers. */
  wakeAll(): void {
    for (let left = this.#waiting.size; left > 0; left--) this.#waiting.shift()?.wake();
  }

  /** Drops unread updates: reading ends at once. */
  close(): void {
    this.#closed = true;
    this.wakeAll();
  }

  #push(entry: Entry): void {
    if (this.#closed) return;
    this.#entries.push(entry);
    while (this.#entries.size > 0 && this.#waiting.size > 0) this.#waiting.shift()?.wake();
  }
}
