/** Counts running jobs, so that the screen can show that something is running, and for how long. */

import { dim } from "../screen/style.ts";
import { duration } from "../../shared/words.ts";

export class Work {
  readonly #onChange: () => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #now: () => number;
  #count = 0;
  #sinceMs = 0;
  #isStopping = false;

  constructor(
    onChange: () => void,
    onFailure: (error: unknown) => void,
    now = (): number => performance.now(),
  ) {
    this.#onChange = onChange;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  get isUnderWay(): boolean {
    return this.#count > 0;
  }

  /** The prompt that was being answered has ended, so that the time of the next one starts. */
  restart(): void {
    this.#sinceMs = this.#now();
    this.#isStopping = false;
  }

  /** The user interrupted what is running. */
  interrupted(): void {
    this.#isStopping = this.isUnderWay;
  }

  add(job: Promise<unknown>): void {
    if (this.#count++ === 0) this.restart();
    void job.catch(this.#onFailure).finally(() => {
      this.#count--;
      this.#onChange();
    });
    this.#onChange();
  }

  lines(isThinking: boolean): string[] {
    if (!this.isUnderWay) return [];
    if (this.#isStopping) return [dim("Stopping …")];
    const word = isThinking ? "Thinking" : "Working";
    return [dim(`${word} ${duration(this.#now() - this.#sinceMs)} · Esc to interrupt`)];
  }
}
