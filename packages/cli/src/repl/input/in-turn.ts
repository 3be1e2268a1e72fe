/** Runs jobs one after the other, in the order they were added. */

export class InTurn {
  #last: Promise<unknown>;

  constructor(first: Promise<unknown>) {
    this.#last = first;
  }

  /** A failure rejects for the caller and does not stop later jobs. */
  do<Value>(job: () => Value | Promise<Value>): Promise<Value> {
    const done = this.#last.then(job);
    this.#last = done.catch(() => {});
    return done;
  }
}
