/** Jobs one after the other, in the order in which they were asked for. */

export class InTurn {
  #last: Promise<unknown>;

  constructor(first: Promise<unknown>) {
    this.#last = first;
  }

  /** What fails is the caller's, and keeps nobody from going on. */
  do<Value>(job: () => Value | Promise<Value>): Promise<Value> {
    const done = this.#last.then(job);
    this.#last = done.catch(() => {});
    return done;
  }
}
