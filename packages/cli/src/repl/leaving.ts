/** How the program ends: once in order, and immediately if the user insists. */

import { deferred } from "../shared/deferred.ts";

export class Leaving {
  readonly #left = deferred<number>();
  readonly #pressed = deferred<void>();
  #hasBegun = false;

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Resolves with the exit code. */
  get left(): Promise<number> {
    return this.#left.promise;
  }

  /** Resolves when nothing must be waited for any more. */
  get pressed(): Promise<void> {
    return this.#pressed.promise;
  }

  /** Returns false if the program is ending already. The first exit code counts. */
  begin(code: number): boolean {
    if (this.#hasBegun) return false;
    this.#hasBegun = true;
    this.#left.resolve(code);
    return true;
  }

  /** The user does not want to wait. */
  hurry(): void {
    this.#pressed.resolve();
  }
}
