/** What the queues of calls are made of: by position in the response, by arrival, and by name. */

interface Indexed {
  readonly index: number;
}

/** A binary heap. The earliest call in the model's order comes out first. */
export class IndexHeap<Item extends Indexed> {
  #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let hole = items.length;
    items.push(item);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = items[parent] as Item;
      if (above.index <= item.index) break;
      items[hole] = above;
      hole = parent;
    }
    items[hole] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let hole = 0;
    for (;;) {
      let child = hole * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && (items[child + 1] as Item).index < (items[child] as Item).index)
        child++;
      if ((items[child] as Item).index >= last.index) break;
      items[hole] = items[child] as Item;
      hole = child;
    }
    items[hole] = last;
    return top;
  }

  /** Drops all others. */
  keep(wanted: (item: Item) => boolean): void {
    // Sorted, an array is a heap.
    this.#items = this.#items.filter(wanted).sort((one, other) => one.index - other.index);
  }
}

/** An item of a chain, and its neighbours there. */
export interface Linked<Item> {
  before: Item | undefined;
  after: Item | undefined;
}

/** A linked list in the order of arrival. An item can be removed in constant time, and is in at most one chain. */
export class Chain<Item extends Linked<Item>> {
  #first: Item | undefined;
  #last: Item | undefined;

  get first(): Item | undefined {
    return this.#first;
  }

  append(item: Item): void {
    item.before = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
  }

  /** Does nothing if the item is not in the chain. */
  remove(item: Item): void {
    const { before, after } = item;
    if (before === undefined && this.#first !== item) return;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    item.before = undefined;
    item.after = undefined;
  }

  list(): Item[] {
    const items: Item[] = [];
    for (let item = this.#first; item !== undefined; item = item.after) items.push(item);
    return items;
  }
}

/** A first-in, first-out queue in constant time that does not keep removed items. */
export class Fifo<Item> {
  #items: (Item | undefined)[];
  #first = 0;

  /** A list that is created with its items is much smaller than one that grows. */
  constructor(items: Item[] = []) {
    this.#items = items;
  }

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

  /** The current items, in order. */
  list(): Item[] {
    return this.#items.slice(this.#first) as Item[];
  }

  /** Drops all others. */
  keep(wanted: (item: Item) => boolean): void {
    this.#items = this.#items.slice(this.#first).filter((item) => wanted(item as Item));
    this.#first = 0;
  }
}

const LEAST_SWEPT = 16;

/**
 * A map whose keys come and go. In V8, looking up a key visits everything that `Map.delete` has removed under it since the
 * table was last rebuilt, so a key that is added and deleted with every call makes each call slower than the one before.
 * A deleted key therefore stays without a value until half of all keys have none.
 */
export class NameMap<Value extends object> {
  #map = new Map<string, Value | undefined>();
  #deleted = 0;

  get size(): number {
    return this.#map.size - this.#deleted;
  }

  get(name: string): Value | undefined {
    return this.#map.get(name);
  }

  /** Adds a name that has no value. */
  add(name: string, value: Value): void {
    const before = this.#map.size;
    this.#map.set(name, value);
    if (this.#map.size === before) this.#deleted--;
  }

  /** Deletes a name that has a value. */
  delete(name: string): void {
    this.#map.set(name, undefined);
    this.#deleted++;
    if (this.#deleted < LEAST_SWEPT || this.#deleted * 2 < this.#map.size) return;
    this.#map = new Map([...this.#map].filter(([, value]) => value !== undefined));
    this.#deleted = 0;
  }

  *values(): IterableIterator<Value> {
    for (const value of this.#map.values()) if (value !== undefined) yield value;
  }
}
