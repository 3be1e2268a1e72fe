/** Values from several sides, read by one, in the order in which they came. */

export class Channel<Value> implements AsyncIterable<Value> {
  readonly #values: Value[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  push(value: Value): void {
    if (this.#closed) return;
    this.#values.push(value);
    this.#wake?.();
  }

  /** What was pushed before is still read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    for (;;) {
      yield* this.#values.splice(0);
      if (this.#values.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
