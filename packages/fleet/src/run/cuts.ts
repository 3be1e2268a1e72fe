/**
 * Counts how many workers in a row have died while they ran a session. The session itself can be the cause, for example
 * with an input that exhausts the memory. A worker that dies takes its other sessions down with it, so such a session waits
 * longer each time, and fails at the end.
 */

type State = Readonly<Record<string, unknown>>;

/**
 * The longest wait after the first death, the second, and so on; after the last one, the session fails. A turn that ends
 * resets the count. The actual wait is random, so that the sessions of one dead worker do not start again together.
 */
const WAITS_MS = [0, 5_000, 30_000, 90_000, 180_000];

export class Cuts {
  #count = 0;

  /**
   * Reads the state of a run that has not ended. Returns when the session can run; undefined: now. Throws if its workers
   * died too often.
   */
  take(before: State): { readonly at: number; readonly isNew: boolean } | undefined {
    // A state with a time was saved to wait until then. One without a time means that the worker died.
    const until = countIn(before, "until");
    const isNew = until === 0;
    this.#count = countIn(before, "cuts") + (isNew ? 1 : 0);
    if (this.#count > WAITS_MS.length)
      throw new Error(`Its worker stopped ${this.#count} times in a row while it ran this session`);
    const mostMs = WAITS_MS[this.#count - 1] ?? 0;
    const at = isNew ? Date.now() + Math.ceil(Math.random() * mostMs) : until;
    const waitMs = at - Date.now();
    // A time that is further away comes from a machine whose clock is ahead.
    return waitMs <= 0 || waitMs > mostMs ? undefined : { at, isNew };
  }

  /** Resets the count when a turn has ended, because the session can make progress. Returns whether the count was above 0. */
  forget(): boolean {
    const hadAny = this.#count > 0;
    this.#count = 0;
    return hadAny;
  }

  /** The part of the run's state that survives the worker. */
  get state(): { readonly cuts?: number } {
    return this.#count === 0 ? {} : { cuts: this.#count };
  }
}

/** Returns a number from the state of a run; 0 if it is missing or not above 0. */
export function countIn(state: State, name: "cuts" | "failures" | "until"): number {
  const value = state[name];
  return typeof value === "number" && value > 0 ? value : 0;
}
