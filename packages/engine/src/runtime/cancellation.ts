/** A signal that is created on first use, so that calls that never use it cost nothing. */

export class Cancellation {
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    return (this.#controller ??= new AbortController()).signal;
  }

  get isCancelled(): boolean {
    return this.#controller?.signal.aborted === true;
  }

  cancel(reason: unknown): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }
}

/** Cancelled with another signal, and possibly before: code with a time limit of its own has a signal of its own. */
export class LinkedCancellation extends Cancellation {
  readonly #source: () => AbortSignal;
  #isLinked = false;

  constructor(source: () => AbortSignal) {
    super();
    this.#source = source;
  }

  override get signal(): AbortSignal {
    if (!this.#isLinked) this.#link(this.#source());
    return super.signal;
  }

  #link(source: AbortSignal): void {
    this.#isLinked = true;
    if (source.aborted) this.cancel(source.reason);
    else source.addEventListener("abort", () => this.cancel(source.reason), { once: true });
  }
}
