/** Questions that wait until their calls can be checked: until no earlier unfinished call conflicts with them. */

import type { Call } from "../core/call.ts";
import { onAbort } from "./cancellation.ts";
import type { JudgedCall } from "./judged-call.ts";
import { Withdrawn } from "./prompts.ts";
import { IndexHeap } from "../core/queue.ts";
import type { Turn } from "../core/turn.ts";
import { isOutdated } from "../core/verdict.ts";

/**
 * Checked after each event. The earliest question is always among them, and its call is free when all earlier calls
 * have settled.
 */
const MOST_LOOKED_AT = 8;

interface Waiting {
  /** The position of its call in the model's order. */
  readonly index: number;
  readonly judged: JudgedCall;
  readonly resume: () => void;
  isOver: boolean;
}

export class CheckLine {
  readonly #turn: Turn;
  readonly #line = new IndexHeap<Waiting>();
  readonly #waiting = new Set<string>();
  readonly #onWait: () => void;

  /** `onWait` is called when a question begins to wait. */
  constructor(turn: Turn, onWait: () => void) {
    this.#turn = turn;
    this.#onWait = onWait;
  }

  /** Whether the question about this call waits for an earlier call. */
  readonly isHeld = (call: Call): boolean =>
    this.#waiting.has(call.id) && this.#turn.claims.obstacle(call) !== undefined;

  /** Whether no earlier unfinished call conflicts with this one. Otherwise a check would see an outdated state. */
  isUnblocked(call: Call): boolean {
    return this.#turn.claims.obstacle(call) === undefined;
  }

  /** Whether the context changed since the question was requested. */
  isOutdated(call: Call): boolean {
    return isOutdated(this.#turn, call);
  }

  /**
   * Returns undefined if the call can be checked now. Otherwise the promise resolves when it can, and rejects if its
   * question is withdrawn.
   */
  wait(judged: JudgedCall, signal: AbortSignal): Promise<void> | undefined {
    if (this.#isReady(judged)) return undefined;
    const { id, index } = judged.call;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Withdrawn());
      const resume = (): void => {
        stopListening();
        this.#waiting.delete(id);
        resolve();
      };
      const waiting: Waiting = { index, judged, resume, isOver: false };
      const stopListening = onAbort(signal, () => {
        this.#waiting.delete(id);
        waiting.isOver = true;
        reject(new Withdrawn());
      });
      this.#line.push(waiting);
      this.#waiting.add(id);
      this.#onWait();
    });
  }

  /** Called after an event that may have unblocked one of them. */
  look(): void {
    if (this.#line.size === 0) return;
    const blocked: Waiting[] = [];
    while (this.#line.size > 0 && blocked.length < MOST_LOOKED_AT) {
      const waiting = this.#line.pop() as Waiting;
      if (waiting.isOver) continue;
      if (this.#isReady(waiting.judged)) waiting.resume();
      else blocked.push(waiting);
    }
    for (const waiting of blocked) this.#line.push(waiting);
  }

  #isReady({ taken, call, asked }: JudgedCall): boolean {
    return taken.tool.checkWaits === false || asked.isCheckable === false || this.isUnblocked(call);
  }
}
