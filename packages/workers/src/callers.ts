/** Which callers are alive, from a worker's point of view. Calls of a dead caller are not started or continued. */

import { setTimeout as pause } from "node:timers/promises";
import type { Link } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import type { Names } from "./names.ts";

/** How long a positive answer is cached. */
const FRESH_MS = 2 * LIMITS.beatMs;
const ASK_AGAIN_MS = 500;

export class Callers {
  readonly #link: Link;
  readonly #names: Names;
  /** When each caller was last seen alive. */
  readonly #seen = new Map<string, number>();

  constructor(link: Link, names: Names) {
    this.#link = link;
    this.#names = names;
  }

  async isAlive(caller: string): Promise<boolean> {
    if (performance.now() - (this.#seen.get(caller) ?? -Infinity) < FRESH_MS) return true;
    // After an outage of the server, callers need a moment to report that they are alive.
    while (!(await this.#ask(caller))) {
      if (!this.#isSettling) return false;
      await pause(ASK_AGAIN_MS);
    }
    return true;
  }

  /** Records the result of a heartbeat. Returns true if the caller is gone for good. */
  found(caller: string, exists: boolean): boolean {
    if (exists) this.#seen.set(caller, performance.now());
    else if (!this.#isSettling) return this.#seen.delete(caller) || true;
    return false;
  }

  /** Forgets callers without recent calls. */
  forgetOld(): void {
    const old = performance.now() - FRESH_MS;
    for (const [caller, at] of this.#seen) if (at < old) this.#seen.delete(caller);
  }

  async #ask(caller: string): Promise<boolean> {
    const exists = (await this.#link.redis.exists(this.#names.caller(caller))) === 1;
    if (exists) this.#seen.set(caller, performance.now());
    return exists;
  }

  get #isSettling(): boolean {
    const { upSince } = this.#link;
    return upSince === undefined || performance.now() - upSince < LIMITS.callerMs;
  }
}
