/**
 * Time limits of calls. Calls with the same limit expire in the order in which they started, so one timer per limit is
 * enough. It is set for the first call, and set again if that one ended earlier.
 */

import { Chain, type Linked } from "../core/queue.ts";
import { type Clock, isFiniteLimit } from "./clock.ts";
import { soon } from "./platform.ts";

/** A running call, with what its time limit needs. */
export interface Limited<Call> extends Linked<Call> {
  readonly startedAt: number;
  readonly limitMs: number;
}

interface Line<Call extends Limited<Call>> {
  readonly limitMs: number;
  /** In the order in which they expire. A call that has ended is removed at once. */
  readonly calls: Chain<Call>;
  timer: unknown;
}

export class Deadlines<Call extends Limited<Call>> {
  readonly #clock: Clock;
  readonly #onDue: (call: Call) => void;
  readonly #lines = new Map<number, Line<Call>>();
  #willSweep = false;

  constructor(clock: Clock, onDue: (call: Call) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** The call has started now. */
  watch(call: Call): void {
    const { limitMs } = call;
    if (!isFiniteLimit(limitMs)) return;
    let line = this.#lines.get(limitMs);
    if (line === undefined)
      this.#lines.set(limitMs, (line = { limitMs, calls: new Chain(), timer: undefined }));
    line.calls.append(call);
    this.#setTimer(line, limitMs);
  }

  /** The call has ended. Its timer is kept for a moment: with short calls, the next one needs it too. */
  end(call: Call): void {
    this.#lines.get(call.limitMs)?.calls.remove(call);
    if (this.#willSweep || this.#lines.size === 0) return;
    this.#willSweep = true;
    soon(() => {
      this.#willSweep = false;
      this.sweep();
    });
  }

  /** No timer is kept without a call. */
  sweep(): void {
    for (const line of this.#lines.values()) {
      if (line.calls.first !== undefined) continue;
      this.#clock.cancel(line.timer);
      this.#lines.delete(line.limitMs);
    }
  }

  #setTimer(line: Line<Call>, delayMs: number): void {
    line.timer ??= this.#clock.after(delayMs, () => this.#look(line));
  }

  #look(line: Line<Call>): void {
    line.timer = undefined;
    const now = this.#clock.now();
    for (let call = line.calls.first; call !== undefined; call = line.calls.first) {
      const dueAt = call.startedAt + call.limitMs;
      if (dueAt > now) return this.#setTimer(line, dueAt - now);
      line.calls.remove(call);
      this.#onDue(call);
    }
  }
}
