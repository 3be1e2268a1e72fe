/** The line in front of a person: at most one question is open (promise 7). */

import type { Answer, Ask, Question } from "./ports.ts";

interface Waiting {
  open(): void;
}

export class PromptLine {
  readonly #ask: Ask;
  readonly #waiting = new Set<Waiting>();
  /** The question that is open. */
  #asked: Question | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Resolves with the answer; rejects when the question is withdrawn or asking fails. `before` runs when the question is
   * next, and what it throws takes the place of an answer.
   */
  ask(question: Question, before?: () => Promise<void>): Promise<Answer> {
    const { signal } = question;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(withdrawn());
      const entry: Waiting = {
        open: () => void this.#open(question, before).finally(forget).then(resolve, reject),
      };
      // A dialog that is told to close need not answer: the line goes on without it.
      const withdraw = (): void => {
        reject(withdrawn());
        // After the dialog has heard it too, so that the next is not opened over it.
        if (!this.#waiting.delete(entry)) queueMicrotask(() => this.#close(question));
      };
      const forget = (): void => signal.removeEventListener("abort", withdraw);
      signal.addEventListener("abort", withdraw, { once: true });
      this.#waiting.add(entry);
      this.#next();
    });
  }

  #next(): void {
    if (this.#asked !== undefined) return;
    const [entry] = this.#waiting;
    if (entry === undefined) return;
    this.#waiting.delete(entry);
    entry.open();
  }

  async #open(question: Question, before: (() => Promise<void>) | undefined): Promise<Answer> {
    const line = this.#waiting;
    this.#asked = question;
    try {
      if (before !== undefined) {
        await before();
        if (question.signal.aborted) throw withdrawn();
      }
      return await this.#ask({
        ...question,
        get waiting() {
          return line.size;
        },
      });
    } finally {
      this.#close(question);
    }
  }

  #close(question: Question): void {
    if (this.#asked !== question) return;
    this.#asked = undefined;
    this.#next();
  }
}

function withdrawn(): Error {
  return new Error("The question was withdrawn.");
}
