/** A queue with several writers and one reader, in the order of arrival. */

/** How many unread values of one kind are kept before the oldest is dropped. */
const UNREAD_OF_A_KIND = 256;

/** Stands for the next value of a kind. Other values are in the queue themselves, which saves an object for each. */
class OfKind {
  readonly kind: string;

  constructor(kind: string) {
    this.kind = kind;
  }
}

/** There is nothing to read. */
export const NOTHING = Symbol("nothing");

export class Channel<Value> implements AsyncIterable<Value> {
  #entries: (Value | OfKind)[] = [];
  /** The first of them that was not read. Read ones are removed together, which is cheaper than one by one. */
  #next = 0;
  readonly #kinds = new Map<string, Value[]>();
  #wake: (() => void) | undefined;
  #drained: (() => void) | undefined;
  /** How many values were removed from the queue. With `#next`: how many were read. */
  #removed = 0;
  /** Called when so many values were read, in this order. */
  #awaited: { readonly read: number; readonly resolve: () => void }[] | undefined;
  #closed = false;

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The number of values that were not read. */
  get unread(): number {
    return this.#entries.length - this.#next;
  }

  push(value: Value): void {
    this.#enter(value);
  }

  /** A slow reader gets only the latest values of a kind. */
  pushLatest(kind: string, value: Value): void {
    const unread = this.#kinds.get(kind) ?? [];
    this.#kinds.set(kind, unread);
    unread.push(value);
    if (unread.length > UNREAD_OF_A_KIND) unread.shift();
    else this.#enter(new OfKind(kind));
  }

  /** Values that were pushed before can still be read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
    this.#drained?.();
    for (const { resolve } of this.#awaited ?? []) resolve();
  }

  /** Returns the next value, or `NOTHING` if it has not come or the channel is closed and empty. */
  take(): Value | typeof NOTHING {
    if (this.#next === this.#entries.length) return NOTHING;
    const entry = this.#entries[this.#next] as Value | OfKind;
    this.#next++;
    if (this.#awaited !== undefined) this.#reach(this.#removed + this.#next);
    if (this.#next === this.#entries.length) {
      this.#removed += this.#next;
      this.#entries = [];
      this.#next = 0;
      this.#drained?.();
    }
    return entry instanceof OfKind ? this.#taken(entry.kind) : entry;
  }

  /** Resolves when there is something to read, or the channel is closed. */
  async wait(): Promise<void> {
    if (this.unread > 0 || this.#closed) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }

  /** Resolves when everything was read, or the channel is closed. */
  async drained(): Promise<void> {
    if (this.unread === 0 || this.#closed) return;
    await new Promise<void>((resolve) => (this.#drained = resolve));
    this.#drained = undefined;
  }

  /** Resolves when all values that were pushed until now were read, or the channel is closed. */
  async read(): Promise<void> {
    if (this.unread === 0 || this.#closed) return;
    const read = this.#removed + this.#entries.length;
    await new Promise<void>((resolve) => (this.#awaited ??= []).push({ read, resolve }));
  }

  #reach(count: number): void {
    while (this.#awaited?.[0] !== undefined && this.#awaited[0].read <= count)
      this.#awaited.shift()?.resolve();
    if (this.#awaited?.length === 0) this.#awaited = undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    for (;;) {
      for (let next = this.take(); next !== NOTHING; next = this.take()) yield next;
      if (this.#closed) return;
      await this.wait();
    }
  }

  #enter(entry: Value | OfKind): void {
    if (this.#closed) return;
    this.#entries.push(entry);
    this.#wake?.();
  }

  #taken(kind: string): Value {
    const unread = this.#kinds.get(kind) as Value[];
    const value = unread.shift() as Value;
    if (unread.length === 0) this.#kinds.delete(kind);
    return value;
  }
}
