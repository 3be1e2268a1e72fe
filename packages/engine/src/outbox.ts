/** What a caller reads: progress at once, results in the model's order, each once, over any number of readers. */

import type { Outcome, ToolResult } from "./outcome.ts";
import { Fifo } from "./queue.ts";

export type Update =
  | { readonly type: "progress"; readonly callId: string; readonly data: unknown }
  | {
      readonly type: "result";
      readonly callId: string;
      readonly result: ToolResult;
      /** What the tool returned; undefined when it did not return. */
      readonly output: unknown;
      readonly outcome: Outcome;
    };

/** How much progress of one call is kept unread: beyond that the oldest is dropped. */
const UNREAD_PROGRESS = 256;

type ResultUpdate = Extract<Update, { type: "result" }>;

/** A result, or the word that there is progress of a call. */
type Entry = ResultUpdate | { readonly type: "unread"; readonly callId: string };

export class Outbox {
  readonly #entries = new Fifo<Entry>();
  readonly #progress = new Map<string, Fifo<unknown>>();
  #wake: (() => void) | undefined;
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

  /** The next update, if there is one now. */
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

  /** Resolves when there may be something new. */
  changed(): Promise<void> {
    const before = this.#wake;
    return new Promise((resolve) => {
      this.#wake = () => {
        before?.();
        resolve();
      };
    });
  }

  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** Drops what is unread: reading ends at once. */
  close(): void {
    this.#closed = true;
    this.wake();
  }

  #push(entry: Entry): void {
    if (this.#closed) return;
    this.#entries.push(entry);
    this.wake();
  }
}
