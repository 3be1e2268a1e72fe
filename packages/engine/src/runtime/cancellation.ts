/** A signal that is created on first use, so that calls that never use it cost nothing. */

/** Calls `act` when the signal is aborted, now if it is already. Returns a function after which it does not. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
  return () => signal.removeEventListener("abort", act);
}

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
    onAbort(source, () => this.cancel(source.reason));
  }
}
