/**
 * Whether a sub-agent is at work. It holds one of the session's slots while its model answers or its own calls run. While
 * it only waits for sub-agents of its own it gives the slot back, so that nested sub-agents cannot block each other.
 */

import type { Slots } from "./slots.ts";

export class Presence {
  readonly #slots: Slots;
  #holds = false;
  #isAsking = false;
  #ownCalls = 0;
  #delegated = 0;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  /** Waits for a slot. Resolves with false if `signal` is aborted first. */
  async begin(signal: AbortSignal): Promise<boolean> {
    return this.#take(signal, "starting");
  }

  /** Waits for a slot before the next request, if it was given back. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#take(signal, "continuing");
  }

  /** The model begins or stops answering. */
  asks(isAsking: boolean): void {
    this.#isAsking = isAsking;
    this.#update();
  }

  /** A call that is not for a sub-agent started or ended. */
  runs(change: 1 | -1): void {
    this.#ownCalls += change;
    this.#update();
  }

  /** A call for a sub-agent starts. Returns the function that ends it. */
  delegates(): () => void {
    this.#delegated++;
    this.#update();
    return () => {
      this.#delegated--;
    };
  }

  end(): void {
    if (this.#holds) this.#slots.release();
    this.#holds = false;
  }

  async #take(signal: AbortSignal, who: "starting" | "continuing"): Promise<boolean> {
    if (this.#holds) return true;
    const isTaken = await this.#slots.take(signal, who);
    if (isTaken && this.#holds) this.#slots.release();
    this.#holds ||= isTaken;
    return isTaken;
  }

  #update(): void {
    const isWorking = this.#isAsking || this.#ownCalls > 0;
    if (this.#holds && !isWorking && this.#delegated > 0) {
      this.#holds = false;
      this.#slots.release();
    } else if (!this.#holds && this.#ownCalls > 0) {
      this.#holds = true;
      this.#slots.force();
    }
  }
}
