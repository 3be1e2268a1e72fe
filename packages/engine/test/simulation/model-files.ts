/** A file system of numbers: what is read reports exactly which writes came before it, and in which order. */

import type { Claim } from "../../src/core/access.ts";
import { LEAVES, covers } from "./plan.ts";

export class ModelFiles {
  readonly #values = new Map<string, number>(LEAVES.map((leaf, at) => [leaf, at + 1]));

  /** Reads all that the claims cover, then writes all that they let it write. */
  touch(claims: readonly Claim[], callId: string, part: "begin" | "end"): number {
    const seen = this.#read(claims);
    for (const { mode, place } of claims) {
      if (mode === "write") this.#write(place, hash(seen, `${callId}:${part}`));
    }
    return seen;
  }

  get digest(): string {
    return [...this.#values.values()].join(",");
  }

  #read(claims: readonly Claim[]): number {
    let seen = 17;
    for (const [leaf, value] of this.#values) {
      if (claims.some(({ place }) => covers(place, leaf))) seen = hash(seen ^ value, leaf);
    }
    return seen;
  }

  #write(place: string, value: number): void {
    for (const leaf of LEAVES) if (covers(place, leaf)) this.#values.set(leaf, hash(value, leaf));
  }
}

function hash(value: number, text: string): number {
  let mixed = value >>> 0;
  for (let at = 0; at < text.length; at++) mixed = Math.imul(mixed ^ text.charCodeAt(at), 16_777_619) >>> 0;
  return mixed;
}
