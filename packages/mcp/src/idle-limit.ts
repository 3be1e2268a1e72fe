/** How long one call may be silent. Each call has its own, so that no other's words keep it alive (H03). */

export class IdleLimit {
  readonly #limitMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  isOver = false;

  constructor(limitMs: number, outer: AbortSignal) {
    this.#limitMs = limitMs;
    this.#outer = outer;
    this.#stop = () => this.#controller.abort("it is no longer wanted");
    if (outer.aborted) this.#stop();
    else outer.addEventListener("abort", this.#stop, { once: true });
    this.reset();
  }

  /** Aborted when the call must end: by the limit, or from outside. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  reset(): void {
    clearTimeout(this.#timer);
    if (this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort(`it was silent for ${this.#limitMs} ms`);
    }, this.#limitMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#stop);
  }
}
