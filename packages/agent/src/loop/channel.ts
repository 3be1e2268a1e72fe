/** A queue with several writers and one reader, in the order of arrival. */

/** How many unread values of one kind are kept before the oldest is dropped. */
const UNREAD_OF_A_KIND = 256;

/** A value, or a reference to the next one of a kind. */
type Entry<Value> = { readonly value: Value } | { readonly kind: string };

export class Channel<Value> implements AsyncIterable<Value> {
  #entries: Entry<Value>[] = [];
  readonly #kinds = new Map<string, Value[]>();
  #wake: (() => void) | undefined;
  #closed = false;

  push(value: Value): void {
    this.#enter({ value });
  }

  /** A slow reader gets only the latest values of a kind. */
  pushLatest(kind: string, value: Value): void {
    const unread = this.#kinds.get(kind) ?? [];
    this.#kinds.set(kind, unread);
    unread.push(value);
    if (unread.length > UNREAD_OF_A_KIND) unread.shift();
    else this.#enter({ kind });
  }

  /** Values that were pushed before can still be read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    for (;;) {
      const entries = this.#entries;
      this.#entries = [];
      for (const entry of entries) yield "kind" in entry ? this.#take(entry.kind) : entry.value;
      if (this.#entries.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #enter(entry: Entry<Value>): void {
    if (this.#closed) return;
    this.#entries.push(entry);
    this.#wake?.();
  }

  #take(kind: string): Value {
    const unread = this.#kinds.get(kind) as Value[];
    const value = unread.shift() as Value;
    if (unread.length === 0) this.#kinds.delete(kind);
    return value;
  }
}
