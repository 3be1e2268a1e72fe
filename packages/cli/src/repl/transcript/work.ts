/** Counts running jobs, so that the screen can show that something is running, and for how long. */

import { dim } from "../screen/style.ts";
import { duration } from "../../shared/words.ts";

export class Work {
  readonly #onChange: () => void;
  readonly #onFailure: (error: unknown) => void;
  #count = 0;
  #sinceMs = 0;

  constructor(onChange: () => void, onFailure: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#onFailure = onFailure;
  }

  get isUnderWay(): boolean {
    return this.#count > 0;
  }

  add(job: Promise<unknown>): void {
    if (this.#count++ === 0) this.#sinceMs = performance.now();
    void job.catch(this.#onFailure).finally(() => {
      this.#count--;
      this.#onChange();
    });
    this.#onChange();
  }

  lines(isThinking: boolean): string[] {
    if (!this.isUnderWay) return [];
    const word = isThinking ? "Thinking" : "Working";
    return [dim(`${word} ${duration(performance.now() - this.#sinceMs)} · Esc to interrupt`)];
  }
}
