/** The two orders that the core needs: calls by index, smallest first, and calls as they came. */

import type { Call } from "./call.ts";

/** A binary heap of calls: the earliest in the model's order comes out first. */
export class CallHeap {
  readonly #calls: Call[] = [];

  get size(): number {
    return this.#calls.length;
  }

  push(call: Call): void {
    const calls = this.#calls;
    let hole = calls.length;
    calls.push(call);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = calls[parent] as Call;
      if (above.index <= call.index) break;
      calls[hole] = above;
      hole = parent;
    }
    calls[hole] = call;
  }

  pop(): Call | undefined {
    const calls = this.#calls;
    const top = calls[0];
    const last = calls.pop();
    if (last === undefined || calls.length === 0) return top;
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= calls.length) break;
      if (child + 1 < calls.length && (calls[child + 1] as Call).index < (calls[child] as Call).index)
        child++;
      if ((calls[child] as Call).index >= last.index) break;
      calls[hole] = calls[child] as Call;
      hole = child;
    }
    calls[hole] = last;
    return top;
  }
}

/** First in, first out, in constant time and without keeping what has left. */
export class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  peek(): Item | undefined {
    return this.#items[this.#first];
  }

  shift(): Item | undefined {
    const item = this.#items[this.#first];
    if (this.size === 0) return undefined;
    this.#items[this.#first++] = undefined;
    if (this.#first > 64 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
