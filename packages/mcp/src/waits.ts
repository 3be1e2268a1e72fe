/** Requests of a server that a person is answering. While there are any, its calls are not idle. */

interface Pausable {
  pause(): void;
  resume(): void;
}

export class Waits {
  readonly #calls = new Set<Pausable>();
  #count = 0;

  async during<Value>(job: () => Promise<Value>): Promise<Value> {
    if (this.#count++ === 0) for (const call of this.#calls) call.pause();
    try {
      return await job();
    } finally {
      if (--this.#count === 0) for (const call of this.#calls) call.resume();
    }
  }

  add(call: Pausable): void {
    this.#calls.add(call);
    if (this.#count > 0) call.pause();
  }

  delete(call: Pausable): void {
    this.#calls.delete(call);
  }
}
