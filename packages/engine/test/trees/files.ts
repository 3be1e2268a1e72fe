/** Files that are counters. A call reads what it touches when it begins, and writes one more when it ends. */

import type { Claim } from "../../src/core/access.ts";
import { LEAVES, covers } from "./plan.ts";

export type Seen = ReadonlyMap<string, number>;

export class CounterFiles {
  readonly #values = new Map(LEAVES.map((leaf) => [leaf, 0]));
  readonly #written = new Map(LEAVES.map((leaf) => [leaf, 0]));
  /** The calls that have written. */
  readonly writers = new Set<string>();

  read(claims: readonly Claim[]): Seen {
    return new Map([...this.#values].filter(([leaf]) => claims.some(({ place }) => covers(place, leaf))));
  }

  /** Whether nobody has written what was read. Writes one more than what was read. */
  write(id: string, claims: readonly Claim[], seen: Seen): boolean {
    this.writers.add(id);
    const isUnchanged = [...seen].every(([leaf, value]) => this.#values.get(leaf) === value);
    for (const [leaf, value] of seen) {
      if (!claims.some(({ mode, place }) => mode === "write" && covers(place, leaf))) continue;
      this.#values.set(leaf, value + 1);
      this.#written.set(leaf, (this.#written.get(leaf) ?? 0) + 1);
    }
    return isUnchanged;
  }

  /** Every increment is there. */
  check(fail: (message: string) => void): void {
    for (const [leaf, value] of this.#values)
      if (value !== this.#written.get(leaf))
        fail(`${leaf} is ${value} after ${this.#written.get(leaf)} increments`);
  }
}
