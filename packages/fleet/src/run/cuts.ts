/**
 * Counts how often the worker of a session died while it ran it. Something in the session can be the reason, so it must not
 * take other sessions with it each time, and not for ever.
 */

type State = Readonly<Record<string, unknown>>;

/**
 * How long a session waits at most after its workers have died that many times in a row, the later times before a turn had
 * ended. Sessions of the same worker wait for different times. Then it fails.
 */
const WAITS_MS = [0, 5_000, 30_000, 90_000, 180_000];

export class Cuts {
  #count = 0;

  /**
   * Takes the state that a run left that did not end. Returns until when the session waits; undefined if it can run now. Throws if
   * its workers died too often.
   */
  take(before: State): { readonly at: number; readonly isNew: boolean } | undefined {
    // With a time, the run was given back until then. Otherwise it ended with its worker.
    const until = countIn(before, "until");
    const isNew = until === 0;
    this.#count = countIn(before, "cuts") + (isNew ? 1 : 0);
    if (this.#count > WAITS_MS.length)
      throw new Error(`Its worker stopped ${this.#count} times in a row while it ran this session`);
    const mostMs = WAITS_MS[this.#count - 1] ?? 0;
    const at = isNew ? Date.now() + Math.ceil(Math.random() * mostMs) : until;
    const waitMs = at - Date.now();
    // A longer wait is that of another clock.
    return waitMs <= 0 || waitMs > mostMs ? undefined : { at, isNew };
  }

  /** A turn has ended: the reason is not in this session, or in its past. Returns whether there was something to forget. */
  forget(): boolean {
    const hadAny = this.#count > 0;
    this.#count = 0;
    return hadAny;
  }

  /** What the state of the run keeps. */
  get state(): { readonly cuts?: number } {
    return this.#count === 0 ? {} : { cuts: this.#count };
  }
}

/** A number of the state of a run; 0 if it has none. */
export function countIn(state: State, name: "cuts" | "failures" | "until"): number {
  const value = state[name];
  return typeof value === "number" && value > 0 ? value : 0;
}
