/** The line in front of a person: at most one question is open (promise 7). */

import type { Answer, Ask, Question } from "./ports.ts";

interface Waiting {
  readonly question: Question;
  open(): void;
}

export class PromptLine {
  readonly #ask: Ask;
  readonly #waiting = new Set<Waiting>();
  #isOpen = false;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Resolves with the answer; rejects when the question is withdrawn or asking fails. */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { signal } = question;
      const entry: Waiting = { question, open: () => void this.#open(question).then(resolve, reject) };
      const withdraw = (): void => {
        this.#waiting.delete(entry);
        reject(new Error("The question was withdrawn."));
      };
      if (signal.aborted) return withdraw();
      signal.addEventListener("abort", withdraw, { once: true });
      this.#waiting.add(entry);
      this.#next();
    });
  }

  #next(): void {
    if (this.#isOpen) return;
    const [entry] = this.#waiting;
    if (entry === undefined) return;
    this.#waiting.delete(entry);
    this.#isOpen = true;
    entry.open();
  }

  async #open(question: Question): Promise<Answer> {
    const line = this.#waiting;
    const shown: Question = {
      ...question,
      get waiting() {
        return line.size;
      },
    };
    try {
      return await Promise.race([this.#ask(shown), withdrawn(question.signal)]);
    } finally {
      this.#isOpen = false;
      this.#next();
    }
  }
}

/** A dialog that is told to close need not answer: the line goes on without it. */
function withdrawn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(new Error("The question was withdrawn."));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
