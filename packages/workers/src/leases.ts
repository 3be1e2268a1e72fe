/** The workspaces that a worker holds, as leases on the server. A lease expires when the worker dies. */

import type { Redis } from "ioredis";
import { LIMITS } from "./limits.ts";
import type { Names } from "./names.ts";
import { claim, release } from "./scripts.ts";

interface Held {
  /** Monotonic time until which no other worker can hold it. */
  until: number;
  lastUsed: number;
}

export class Leases {
  readonly #redis: Redis;
  readonly #names: Names;
  readonly #worker: string;
  readonly #held = new Map<string, Held>();
  #isOpen = true;

  constructor(redis: Redis, names: Names, worker: string) {
    this.#redis = redis;
    this.#names = names;
    this.#worker = worker;
  }

  get workspaces(): string[] {
    return [...this.#held.keys()];
  }

  /** Returns the worker that holds it. Takes it for this worker if it is free and the worker is not draining. */
  async hold(workspace: string): Promise<string> {
    const now = performance.now();
    const held = this.#held.get(workspace);
    if (held !== undefined && held.until > now) {
      held.lastUsed = now;
      return this.#worker;
    }
    return this.#claim(workspace, now);
  }

  /** Renews all leases and releases unused ones. */
  async renew(): Promise<void> {
    const now = performance.now();
    for (const [workspace, { lastUsed }] of this.#held) {
      if (now - lastUsed > LIMITS.leaseIdleMs) await this.#release(workspace);
      else await this.#claim(workspace, lastUsed);
    }
  }

  /** Releases all leases and takes no new ones. */
  async close(): Promise<void> {
    this.#isOpen = false;
    for (const workspace of this.#held.keys()) await this.#release(workspace);
  }

  async #claim(workspace: string, lastUsed: number): Promise<string> {
    if (!this.#isOpen) return (await this.#redis.get(this.#names.workspace(workspace))) ?? "";
    // Measured before the request, so that the lease on the server never expires earlier.
    const until = performance.now() + LIMITS.leaseMs;
    const key = this.#names.workspace(workspace);
    const holder = await claim(this.#redis, { key, worker: this.#worker, forMs: LIMITS.leaseMs });
    if (holder === this.#worker) this.#held.set(workspace, { until, lastUsed });
    else this.#held.delete(workspace);
    return holder;
  }

  async #release(workspace: string): Promise<void> {
    this.#held.delete(workspace);
    await release(this.#redis, this.#names.workspace(workspace), this.#worker);
  }
}
