/**
 * Lines that the user types in a terminal without a screen. A line that was typed before a question could be read is
 * never its answer.
 */

import { type Interface, createInterface } from "node:readline";
import { CLOCK, type Clock, UNREAD_MS } from "../input/attention.ts";

interface Ports {
  readonly input: NodeJS.ReadableStream;
  /** A line that answers no question. */
  readonly onLine: (line: string) => void;
  /** The end of the input. */
  readonly onEnd: () => void;
  readonly clock?: Clock;
}

interface Asked {
  /** Prints the question. */
  readonly ask: () => void;
  /** Returns false for a line that is not an answer. */
  readonly answer: (line: string) => boolean;
  isRead: boolean;
}

export class TypedLines {
  readonly #ports: Ports;
  readonly #reader: Interface;
  readonly #asked: Asked[] = [];

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#reader = createInterface({ input: ports.input, terminal: false });
    this.#reader.on("line", (line) => this.#line(line));
    this.#reader.once("close", ports.onEnd);
  }

  /** Asks until a line is an answer. Resolves with undefined if the signal is aborted first. */
  ask<Answer>(
    print: () => void,
    answerOf: (line: string) => Answer | undefined,
    signal?: AbortSignal,
  ): Promise<Answer | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const done = (answer: Answer | undefined): void => {
        signal?.removeEventListener("abort", withdraw);
        this.#remove(asked);
        resolve(answer);
      };
      const withdraw = (): void => done(undefined);
      const asked: Asked = {
        ask: print,
        isRead: false,
        answer: (line) => {
          const answer = answerOf(line);
          if (answer === undefined) return false;
          done(answer);
          return true;
        },
      };
      signal?.addEventListener("abort", withdraw, { once: true });
      this.#asked.push(asked);
      if (this.#asked.length === 1) this.#show(asked);
    });
  }

  get isAsking(): boolean {
    return this.#asked.length > 0;
  }

  close(): void {
    this.#reader.close();
  }

  #show(asked: Asked): void {
    asked.ask();
    (this.#ports.clock ?? CLOCK).after(UNREAD_MS, () => (asked.isRead = true));
  }

  #remove(asked: Asked): void {
    const at = this.#asked.indexOf(asked);
    if (at >= 0) this.#asked.splice(at, 1);
    const [next] = this.#asked;
    if (at === 0 && next !== undefined) this.#show(next);
  }

  #line(line: string): void {
    const [asked] = this.#asked;
    if (asked?.isRead !== true) return this.#ports.onLine(line);
    if (!asked.answer(line)) asked.ask();
  }
}
