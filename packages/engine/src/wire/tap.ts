/** Passes a stream on unchanged and shows each event to an assembly first. */

import { secondReader } from "../runtime/platform.ts";
import type { Assembly } from "./assemble.ts";

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
      this.#assembly.leave();
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
