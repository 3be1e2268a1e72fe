/** The line on which workers hear at once that a call is no longer wanted. What is missed here, the beat finds. */

import { type Connection, Link } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import type { Names } from "./names.ts";

/** The word may come before the call does: the latest are kept. */
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
    redis.on("message", (_channel: string, job: string) => this.#heard(job));
    redis.subscribe(this.#names.stops).catch(() => {});
    // Only a question shows that the line is dead.
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

  #heard(job: string): void {
    this.#latest.add(job);
    for (const oldest of this.#latest) {
      if (this.#latest.size <= KEPT) break;
      this.#latest.delete(oldest);
    }
    this.#onStop(job);
  }
}
