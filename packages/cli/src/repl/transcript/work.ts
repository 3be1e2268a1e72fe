/** Counts running jobs, so that the screen can show that something is running, and for how long. */

import { dim } from "../screen/style.ts";
import { duration } from "../../shared/words.ts";

export class Work {
  readonly #onChange: () => void;
  readonly #onFailure: (error: unknown) => void;
  #count = 0;
  #sinceMs = 0;
  #busySinceMs: number | undefined;

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

  /** `isBusy`: the agent answers something, also if nobody sent a prompt, as when background work has ended. */
  lines({ isThinking, isBusy }: { readonly isThinking: boolean; readonly isBusy: boolean }): string[] {
    const now = performance.now();
    this.#busySinceMs = isBusy ? (this.#busySinceMs ?? now) : undefined;
    const since = this.isUnderWay ? this.#sinceMs : this.#busySinceMs;
    if (since === undefined) return [];
    const word = isThinking ? "Thinking" : "Working";
    return [dim(`${word} ${duration(now - since)} · Esc to interrupt`)];
  }
}
