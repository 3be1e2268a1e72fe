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
