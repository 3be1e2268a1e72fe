/** A signal that is made when it is first asked for: what never looks at it does not pay for it. */

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
