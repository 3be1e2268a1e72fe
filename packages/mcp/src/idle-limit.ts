/** The idle time limit of one call. Each call has its own, so that progress of another does not keep it alive (H03). */

export class IdleLimit {
  readonly #limitMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isPaused = false;
  isOver = false;

  constructor(limitMs: number, outer: AbortSignal) {
    this.#limitMs = limitMs;
    this.#outer = outer;
    this.#stop = () => this.#controller.abort("the call was cancelled");
    if (outer.aborted) this.#stop();
    else outer.addEventListener("abort", this.#stop, { once: true });
    this.reset();
  }

  /** Aborts when the limit is reached or the caller cancels. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  reset(): void {
    clearTimeout(this.#timer);
    if (this.signal.aborted || this.#isPaused) return;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort(`no message for ${this.#limitMs} ms`);
    }, this.#limitMs);
  }

  pause(): void {
    this.#isPaused = true;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#isPaused = false;
    this.reset();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#stop);
  }
}
