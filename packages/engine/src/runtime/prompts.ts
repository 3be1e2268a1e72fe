/** The queue of questions to the user: at most one is open (promise 7). */

import { onAbort } from "./cancellation.ts";
import type { Answer, Ask, Question } from "./ports.ts";
import { IndexHeap } from "../core/queue.ts";
import { soon } from "./platform.ts";

/** What the queue knows about a question of the turn's own calls. */
export interface OwnQuestion {
  /** The call, with the place in the queue that an earlier question about it had. */
  readonly about: { place: number | undefined };
  /** Whether its answer would not count, so that it is not asked. */
  isOutdated(): boolean;
  /** Runs when the question is next in the queue. An error that it throws replaces the answer. */
  readonly before: (() => Promise<void>) | undefined;
}

/** A question in the queue. `over` means that it was answered, failed or withdrawn. */
interface Entry {
  /** Its place in the queue. */
  readonly index: number;
  readonly question: Question;
  readonly own: OwnQuestion | undefined;
  state: "waiting" | "open" | "over";
  end(): void;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class PromptLine {
  readonly #ask: Ask;
  readonly #line = new IndexHeap<Entry>();
  #places = 0;
  /** How many questions wait. The queue also contains withdrawn ones. */
  #waiting = 0;
  #open: Entry | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Resolves with the answer. Rejects if the question is withdrawn or asking fails. An answer that the user gave before
   * the question was withdrawn is not lost. A question that is asked again keeps its place in the queue.
   */
  ask(question: Question, own?: OwnQuestion): Promise<Answer> {
    const { signal } = question;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Withdrawn());
      const index = own?.about.place ?? this.#places++;
      if (own !== undefined) own.about.place = index;
      const end = onAbort(signal, () => this.#withdraw(entry));
      const entry: Entry = { index, question, own, state: "waiting", end, resolve, reject };
      this.#line.push(entry);
      this.#waiting++;
      this.#next();
    });
  }

  #next(): void {
    if (this.#open !== undefined) return;
    for (let entry = this.#line.pop(); entry !== undefined; entry = this.#line.pop()) {
      if (entry.state !== "waiting") continue;
      this.#waiting--;
      this.#open = entry;
      entry.state = "open";
      return entry.own?.isOutdated() === true ? this.#skip(entry) : void this.#put(entry);
    }
  }

  async #put(entry: Entry): Promise<void> {
    const waiting = (): number => this.#waiting;
    try {
      if (entry.own?.before !== undefined) await entry.own.before();
      if (entry.question.signal.aborted) return;
      const answer = await this.#ask({
        ...entry.question,
        get waiting() {
          return waiting();
        },
      });
      this.#close(entry, () => entry.resolve(answer));
    } catch (error) {
      this.#close(entry, () => entry.reject(error));
    }
  }

  /** It is asked again about the present, so the queue waits for a moment: what comes after it can be outdated too. */
  #skip(entry: Entry): void {
    entry.end();
    entry.reject(new Withdrawn());
    soon(() => this.#close(entry, () => {}));
  }

  /** A dialog that was asked to close need not answer: the queue continues without it. */
  #withdraw(entry: Entry): void {
    if (entry.state === "waiting") {
      this.#waiting--;
      return this.#close(entry, () => entry.reject(new Withdrawn()));
    }
    // The user may have answered just before. That answer is still pending and counts.
    soon(() => this.#close(entry, () => entry.reject(new Withdrawn())));
  }

  #close(entry: Entry, settle: () => void): void {
    if (entry.state === "over") return;
    entry.state = "over";
    entry.end();
    settle();
    if (this.#open !== entry) return;
    this.#open = undefined;
    this.#next();
  }
}

/** The answer is no longer needed. */
export class Withdrawn extends Error {
  constructor() {
    super("The question was withdrawn.");
  }
}
