/** Shows the events of a stream to an assembly: one by one, or before they are passed on unchanged. */

import { secondReader } from "../runtime/platform.ts";
import { type Assembly, LEFT } from "./assemble.ts";

/** Takes tool calls off a response that its caller reads. */
export interface CallReader {
  /** Takes the next event. Calls that it completes are added to the sink. Throws what the sink throws. */
  take(event: unknown): void;
  /** Ends the response. Without a stop reason before it, the response counts as cut off. */
  finish(): void;
  /** Ends the response because it broke off, for this reason. */
  fail(reason: string): void;
}

export function callReader(assembly: Assembly, take: (event: unknown) => void): CallReader {
  return { take, finish: () => assembly.finish(), fail: (reason) => assembly.fail(reason) };
}

export function tap<Event>(
  events: AsyncIterable<Event>,
  assembly: Assembly,
  take: (event: Event) => void,
): AsyncIterableIterator<Event> {
  return new Tap(events, assembly, take);
}

/**
 * Not a generator: leaving it must reach the assembly even before the first event was read, or while the source
 * hangs, and it costs less per event.
 */
class Tap<Event> implements AsyncIterableIterator<Event> {
  readonly #events: AsyncIterable<Event>;
  readonly #assembly: Assembly;
  readonly #take: (event: Event) => void;
  #source: AsyncIterator<Event> | undefined;
  #isOver = false;
  /** A reader waits for the next event. */
  #isAwaited = false;

  constructor(events: AsyncIterable<Event>, assembly: Assembly, take: (event: Event) => void) {
    this.#events = events;
    this.#assembly = assembly;
    this.#take = take;
  }

  [Symbol.asyncIterator](): this {
    if (this.#isAwaited) throw secondReader("This stream");
    return this;
  }

  /** Not async, to save a promise for each event. */
  next(): Promise<IteratorResult<Event>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    try {
      this.#source ??= this.#events[Symbol.asyncIterator]();
      this.#isAwaited = true;
      return this.#source.next().then(this.#show, this.#cut);
    } catch (error) {
      return Promise.reject(error).catch(this.#cut);
    }
  }

  async return(value?: unknown): Promise<IteratorResult<Event>> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#assembly.finish(LEFT);
      await this.#source?.return?.();
    }
    return { done: true, value };
  }

  readonly #show = (
    result: IteratorResult<Event>,
  ): IteratorResult<Event> | Promise<IteratorResult<Event>> => {
    this.#isAwaited = false;
    if (this.#isOver) return result;
    try {
      if (result.done === true) this.#finish();
      else this.#take(result.value);
      return result;
    } catch (error) {
      return this.#giveUp(error);
    }
  };

  #finish(): void {
    this.#isOver = true;
    this.#assembly.finish();
  }

  /** An error of the sink, or a stream of another API: a mistake of the caller. The source is still closed. */
  async #giveUp(error: unknown): Promise<never> {
    this.#isOver = true;
    await this.#source?.return?.();
    throw error;
  }

  readonly #cut = (error: unknown): never => {
    this.#isAwaited = false;
    this.#isOver = true;
    const message = error instanceof Error ? error.message : String(error);
    this.#assembly.fail(`the connection was cut: ${message}`);
    throw error;
  };
}
