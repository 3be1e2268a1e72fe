/**
 * Time limits of calls. Calls with the same limit are due in the order in which they started, so one timer for each
 * limit is enough: it is set for the first of them, and looks again when that one has ended before.
 */

import { type Clock, isFiniteLimit } from "./clock.ts";
import { Fifo } from "./queue.ts";

/** A call, as far as its time limit goes. */
export interface Limited {
  readonly startedAt: number;
  /** When its time is over, by the clock. */
  dueAt: number;
  /** It has ended, so nobody waits for that any more. */
  hasEnded: boolean;
}

interface Line<Call> {
  readonly limitMs: number;
  readonly calls: Fifo<Call>;
  timer: unknown;
}

export class Deadlines<Call extends Limited> {
  readonly #clock: Clock;
  readonly #onDue: (call: Call, limitMs: number) => void;
  readonly #lines = new Map<number, Line<Call>>();
  #willSweep = false;

  constructor(clock: Clock, onDue: (call: Call, limitMs: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** The call has started now. */
  watch(call: Call, limitMs: number): void {
    if (!isFiniteLimit(limitMs)) return;
    const line = this.#lineFor(limitMs);
    call.dueAt = call.startedAt + limitMs;
    line.calls.push(call);
    this.#setTimer(line, limitMs);
  }

  /** The call has ended. Timers are looked after later: where calls are short, the next one needs the same. */
  end(call: Call): void {
    call.hasEnded = true;
    if (this.#willSweep || this.#lines.size === 0) return;
    this.#willSweep = true;
    setImmediate(() => {
      this.#willSweep = false;
      this.sweep();
    });
  }

  /** Nothing of calls that have ended is kept, and no timer without a call. */
  sweep(): void {
    for (const line of this.#lines.values()) {
      dropEnded(line);
      if (line.calls.size > 0) continue;
      this.#clock.cancel(line.timer);
      this.#lines.delete(line.limitMs);
    }
  }

  #lineFor(limitMs: number): Line<Call> {
    let line = this.#lines.get(limitMs);
    if (line === undefined)
      this.#lines.set(limitMs, (line = { limitMs, calls: new Fifo(), timer: undefined }));
    else dropEnded(line);
    return line;
  }

  #setTimer(line: Line<Call>, delayMs: number): void {
    line.timer ??= this.#clock.after(delayMs, () => this.#look(line));
  }

  #look(line: Line<Call>): void {
    line.timer = undefined;
    const now = this.#clock.now();
    dropEnded(line);
    for (
      let first = line.calls.peek();
      first !== undefined && first.dueAt <= now;
      first = line.calls.peek()
    ) {
      line.calls.shift();
      this.#onDue(first, line.limitMs);
      dropEnded(line);
    }
    const next = line.calls.peek();
    if (next !== undefined) this.#setTimer(line, next.dueAt - now);
  }
}

function dropEnded<Call extends Limited>({ calls }: Line<Call>): void {
  while (calls.peek()?.hasEnded === true) calls.shift();
}
