/** Keeps at most one question of a session open: those of the current turn and those of background agents. */

import type { Answer, Ask, Question } from "@runahead/engine";

export class AskLine {
  readonly #waiting: (() => void)[] = [];
  #isOpen = false;

  /** Returns `ask`, but its questions wait until earlier ones of this line are answered or withdrawn. */
  in(ask: Ask): Ask {
    return (question) => {
      if (!this.#isOpen) return this.#put(ask, question);
      return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#put(ask, question));
    };
  }

  #put(ask: Ask, question: Question): Answer | Promise<Answer> {
    const { signal } = question;
    if (signal.aborted) {
      this.#next();
      throw new Error("The question was withdrawn.");
    }
    this.#isOpen = true;
    let isOver = false;
    const close = (): void => {
      signal.removeEventListener("abort", close);
      if (!isOver) this.#next();
      isOver = true;
    };
    // A dialog that was asked to close need not answer.
    signal.addEventListener("abort", close);
    try {
      const answer = ask(this.#counted(question));
      if (!(answer instanceof Promise)) {
        close();
        return answer;
      }
      void answer.then(close, close);
      return answer;
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Hands over to the next question at once, so that none can come in between. */
  #next(): void {
    const next = this.#waiting.shift();
    this.#isOpen = next !== undefined;
    next?.();
  }

  #counted(question: Question): Question {
    const waiting = (): number => question.waiting + this.#waiting.length;
    return Object.defineProperty({ ...question }, "waiting", { enumerable: true, get: waiting });
  }
}
