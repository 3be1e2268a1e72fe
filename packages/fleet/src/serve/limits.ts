/** Limits of requests: a token bucket and a number of open event streams for each caller. */

import { Problem } from "./problem.ts";

interface Bucket {
  left: number;
  at: number;
  streams: number;
}

export interface RequestLimits {
  /** Requests of a token per minute. */
  readonly perMinute: number;
  /** Event streams of a token that are open at a time. */
  readonly streams: number;
}

const MOST_CALLERS = 10_000;

export class Limits {
  readonly #limits: RequestLimits;
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(limits: RequestLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws if the caller has made too many requests. */
  request(caller: string): void {
    const { perMinute } = this.#limits;
    const bucket = this.#bucket(caller);
    const now = this.#now();
    bucket.left = Math.min(perMinute, bucket.left + ((now - bucket.at) * perMinute) / 60_000);
    bucket.at = now;
    if (bucket.left < 1) {
      const seconds = Math.ceil(((1 - bucket.left) * 60) / perMinute);
      throw new Problem(429, `More than ${perMinute} requests per minute.`, {
        "retry-after": String(seconds),
      });
    }
    bucket.left--;
  }

  /** Counts an event stream. Returns the function that ends it. */
  stream(caller: string): () => void {
    const { streams } = this.#limits;
    const bucket = this.#bucket(caller);
    if (bucket.streams >= streams)
      throw new Problem(429, `More than ${streams} event streams are open.`, { "retry-after": "5" });
    bucket.streams++;
    let isOpen = true;
    return () => {
      if (isOpen) bucket.streams--;
      isOpen = false;
    };
  }

  #bucket(caller: string): Bucket {
    const found = this.#buckets.get(caller);
    if (found !== undefined) return found;
    if (this.#buckets.size >= MOST_CALLERS)
      for (const [id, { streams }] of this.#buckets) if (streams === 0) this.#buckets.delete(id);
    const bucket = { left: this.#limits.perMinute, at: this.#now(), streams: 0 };
    this.#buckets.set(caller, bucket);
    return bucket;
  }
}
