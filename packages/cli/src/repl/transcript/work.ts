/** Counts running jobs, so that the screen can show that something is running, and for how long. */

import { dim } from "../screen/style.ts";
import { strip } from "../../shared/safe-text.ts";
import { duration } from "../../shared/words.ts";

interface Busy {
  readonly isThinking: boolean;
  readonly isBusy: boolean;
  /** Named instead of a verb. */
  readonly doing?: string | undefined;
}

export class Work {
  readonly #onChange: () => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #now: () => number;
  #count = 0;
  #sinceMs = 0;
  #isStopping = false;
  #busySinceMs: number | undefined;
  #prompts = 0;
  /** Each prompt shows the next one. */
  verbs: readonly string[] = ["Working"];

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

  /** How long the current prompt has been answered. */
  get elapsedMs(): number {
    return this.#now() - (this.isUnderWay ? this.#sinceMs : (this.#busySinceMs ?? this.#now()));
  }

  /** The prompt that was being answered has ended, so that the time of the next one starts. */
  restart(): void {
    this.#sinceMs = this.#now();
    this.#prompts++;
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

  /** `isBusy`: the agent answers something, also if nobody sent a prompt, as when background work has ended. */
  lines({ isThinking, isBusy, doing }: Busy): string[] {
    const now = this.#now();
    this.#busySinceMs = isBusy ? (this.#busySinceMs ?? now) : undefined;
    const since = this.isUnderWay ? this.#sinceMs : this.#busySinceMs;
    if (since === undefined) return [];
    if (this.#isStopping) return [dim("Stopping …")];
    const verb = this.verbs[this.#prompts % this.verbs.length] ?? "Working";
    const word = doing ?? (isThinking ? "Thinking" : strip(verb));
    return [dim(`${word} ${duration(now - since)} · Esc to interrupt`)];
  }
}
