/** The channel on which workers learn at once about cancelled calls. The heartbeat finds what is missed here. */

import { type Connection, Link } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import type { Names } from "./names.ts";

/** The message can arrive before the call, so the latest ids are kept. */
const KEPT = 1_000;

export class StopLine {
  readonly #link: Link;
  readonly #names: Names;
  readonly #onStop: (job: string) => void;
  readonly #latest = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, names: Names, onStop: (job: string) => void) {
    this.#link = new Link(connection);
    this.#names = names;
    this.#onStop = onStop;
  }

  open(): void {
    const { redis } = this.#link;
    redis.on("message", (_channel: string, job: string) => this.#receive(job));
    redis.subscribe(this.#names.stops).catch(() => {});
    // A ping is needed to detect a dead connection.
    this.#timer = setInterval(() => {
      if (this.#link.upSince !== undefined) redis.ping().catch(() => {});
    }, 2 * LIMITS.beatMs);
  }

  has(job: string): boolean {
    return this.#latest.has(job);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#link.close();
  }

  #receive(job: string): void {
    this.#latest.add(job);
    for (const oldest of this.#latest) {
      if (this.#latest.size <= KEPT) break;
      this.#latest.delete(oldest);
    }
    this.#onStop(job);
  }
}
