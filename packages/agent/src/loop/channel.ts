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

/** An array for so many values is kept when all are read, because it is filled again at once. */
const KEPT_PLACES = 4_096;

export class Channel<Value> implements AsyncIterable<Value> {
  /** Has room from the first value that was not read up to `#end`. */
  #entries: (Value | OfKind | undefined)[] = [];
  #next = 0;
  #end = 0;
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
    return this.#end - this.#next;
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
    this.#wakeReader();
    this.#drained?.();
    for (const { resolve } of this.#awaited ?? []) resolve();
  }

  /** Returns the next value, or `NOTHING` if it has not come or the channel is closed and empty. */
  take(): Value | typeof NOTHING {
    if (this.#next === this.#end) return NOTHING;
    const entry = this.#entries[this.#next] as Value | OfKind;
    this.#entries[this.#next++] = undefined;
    if (this.#awaited !== undefined) this.#reach(this.#removed + this.#next);
    if (this.#next === this.#end) this.#allRead();
    return this.#kinds.size > 0 && entry instanceof OfKind ? this.#taken(entry.kind) : (entry as Value);
  }

  /** Resolves when there is something to read, or the channel is closed. */
  wait(): Promise<void> {
    if (this.unread > 0 || this.#closed) return Promise.resolve();
    return new Promise<void>((resolve) => (this.#wake = resolve));
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
    const read = this.#removed + this.#end;
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
    if (this.#end === this.#entries.length) this.#entries.push(entry);
    else this.#entries[this.#end] = entry;
    this.#end++;
    if (this.#wake !== undefined) this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #allRead(): void {
    this.#removed += this.#next;
    if (this.#entries.length > KEPT_PLACES) this.#entries = [];
    this.#next = 0;
    this.#end = 0;
    this.#drained?.();
  }

  #taken(kind: string): Value {
    const unread = this.#kinds.get(kind) as Value[];
    const value = unread.shift() as Value;
    if (unread.length === 0) this.#kinds.delete(kind);
    return value;
  }
}
