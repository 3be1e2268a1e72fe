/** Keeps at most one question of a session open: those of the current turn and those of background agents. */

import type { Answer, Ask, Question } from "@runahead/engine";

export class AskLine {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Returns `ask`, but its questions wait until earlier ones of this line are answered or withdrawn. */
  in(ask: Ask): Ask {
    return (question) => {
      this.#waiting++;
      const asked = this.#last.then(() => {
        this.#waiting--;
        return this.#put(ask, question);
      });
      this.#last = Promise.race([asked.catch(() => {}), aborted(question.signal)]);
      return asked;
    };
  }

  async #put(ask: Ask, question: Question): Promise<Answer> {
    question.signal.throwIfAborted();
    const others = (): number => this.#waiting;
    const withCount = Object.defineProperty({ ...question }, "waiting", {
      enumerable: true,
      get: () => (question.waiting ?? 0) + others(),
    });
    return ask(withCount);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
