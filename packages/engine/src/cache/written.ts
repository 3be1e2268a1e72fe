/** Remembers when each place was last written, by a clock that counts writes. */

import { type Claim, WRITES_EVERYTHING, placeSegments, writes } from "../core/access.ts";

interface Node {
  readonly children: Map<string, Node>;
  /** The last write to this place, which covers everything below it. */
  at: number;
  /** The last write to this place or to one below it. */
  below: number;
}

const newNode = (): Node => ({ children: new Map(), at: 0, below: 0 });

/** Above this number, everything counts as written, so that memory stays bounded. */
const MOST_NODES = 10_000;

export class WrittenPlaces {
  /** The number of the last write. */
  now = 0;
  #root = newNode();
  #nodes = 0;

  /** Notes a write to every place that the claims write. */
  write(claims: readonly Claim[]): void {
    this.now++;
    for (const claim of claims) if (writes(claim)) this.#note(placeSegments(claim.place) ?? []);
    if (this.#nodes > MOST_NODES) this.#forget();
  }

  /** Whether a place that the claims touch was written after `since`. */
  hasWritten(claims: readonly Claim[], since: number): boolean {
    return claims.some(({ place }) => this.#lastWrite(placeSegments(place) ?? []) > since);
  }

  #note(segments: readonly string[]): void {
    let node = this.#root;
    node.below = this.now;
    for (const name of segments) {
      let child = node.children.get(name);
      if (child === undefined) {
        node.children.set(name, (child = newNode()));
        this.#nodes++;
      }
      node = child;
      node.below = this.now;
    }
    node.at = this.now;
  }

  #lastWrite(segments: readonly string[]): number {
    let node = this.#root;
    let last = node.at;
    for (const name of segments) {
      const child = node.children.get(name);
      if (child === undefined) return last;
      node = child;
      last = Math.max(last, node.at);
    }
    return Math.max(last, node.below);
  }

  #forget(): void {
    this.#root = newNode();
    this.#nodes = 0;
    this.write(WRITES_EVERYTHING);
  }
}
