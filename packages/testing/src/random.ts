/** Everything random in a simulation comes from its seed, so that a seed is a run. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
    for (let warm = 0; warm < 4; warm++) this.next();
  }

  /** Evenly in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** The items in a random order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    return items.map(() => left.splice(this.below(left.length), 1)[0] as Item);
  }
}
