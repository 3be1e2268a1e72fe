/** Which callers still live, as a worker sees it: nothing is begun or gone on with for one that does not. */

import { setTimeout as pause } from "node:timers/promises";
import type { Link } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import type { Names } from "./names.ts";

/** What was seen so recently need not be asked again. */
const FRESH_MS = 2 * LIMITS.beatMs;
const ASK_AGAIN_MS = 500;

export class Callers {
  readonly #link: Link;
  readonly #names: Names;
  /** When each was last seen to live. */
  readonly #seen = new Map<string, number>();

  constructor(link: Link, names: Names) {
    this.#link = link;
    this.#names = names;
  }

  async isAlive(caller: string): Promise<boolean> {
    if (performance.now() - (this.#seen.get(caller) ?? -Infinity) < FRESH_MS) return true;
    // After the server was gone, callers need a moment to say that they are still there.
    while (!(await this.#ask(caller))) {
      if (!this.#isSettling) return false;
      await pause(ASK_AGAIN_MS);
    }
    return true;
  }

  /** What a beat has found. True where the caller is gone for good. */
  found(caller: string, exists: boolean): boolean {
    if (exists) this.#seen.set(caller, performance.now());
    else if (!this.#isSettling) return this.#seen.delete(caller) || true;
    return false;
  }

  /** Those without calls are forgotten. */
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
