/** Reads the updates of a turn until every call has its result. */

import type { Outbox, Update } from "./outbox.ts";
import { secondReader } from "./platform.ts";

/** What a reader needs to know about a turn. */
export interface Readable {
  /** Every call has its result, or the response was discarded. */
  readonly isDone: boolean;
  readonly outbox: Pick<Outbox, "wait" | "reader">;
  take(): Update | undefined;
}

const END: IteratorResult<Update> = { done: true, value: undefined };

type Resolve = (result: IteratorResult<Update>) => void;

/** Not a generator, which would be slower for turns with many calls. */
export class Reader implements AsyncIterableIterator<Update> {
  readonly #turn: Readable;
  /** Calls of `next` that have no answer yet. */
  readonly #pending = new Set<Resolve>();
  #hasLeft = false;

  constructor(turn: Readable) {
    this.#turn = turn;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Update>> {
    const { outbox } = this.#turn;
    if ((outbox.reader ?? this) !== this) return Promise.reject(secondReader("remaining()"));
    const now = this.#look();
    if (now !== undefined) return Promise.resolve(now);
    return new Promise((resolve) => {
      this.#pending.add(resolve);
      outbox.reader = this;
      this.#wait(resolve);
    });
  }

  return(): Promise<IteratorResult<Update>> {
    this.#hasLeft = true;
    for (const resolve of this.#pending) this.#settle(resolve, END);
    return Promise.resolve(END);
  }

  #look(): IteratorResult<Update> | undefined {
    const value = this.#hasLeft ? undefined : this.#turn.take();
    if (value !== undefined) return { done: false, value };
    return this.#hasLeft || this.#turn.isDone ? END : undefined;
  }

  #wait(resolve: Resolve): void {
    this.#turn.outbox.wait({ wake: () => this.#wake(resolve) });
  }

  /** If this reader has left, the update stays for the next one. */
  #wake(resolve: Resolve): void {
    if (!this.#pending.has(resolve)) return;
    const now = this.#look();
    if (now === undefined) return this.#wait(resolve);
    this.#settle(resolve, now);
  }

  #settle(resolve: Resolve, result: IteratorResult<Update>): void {
    this.#pending.delete(resolve);
    if (this.#pending.size === 0) this.#turn.outbox.reader = undefined;
    resolve(result);
  }
}
