/** Passes a stream on unchanged while showing each event to an assembly first. */

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

  constructor(events: AsyncIterable<Event>, assembly: Assembly, take: (event: Event) => void) {
    this.#events = events;
    this.#assembly = assembly;
    this.#take = take;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Event>> {
    if (this.#isOver) return { done: true, value: undefined };
    let result: IteratorResult<Event>;
    try {
      this.#source ??= this.#events[Symbol.asyncIterator]();
      result = await this.#source.next();
    } catch (error) {
      this.#isOver = true;
      const message = error instanceof Error ? error.message : String(error);
      this.#assembly.fail(`the connection was cut: ${message}`);
      throw error;
    }
    try {
      this.#show(result);
    } catch (error) {
      // Only a sink throws here, which is a bug of the caller: the source is closed all the same.
      this.#isOver = true;
      await this.#source.return?.();
      throw error;
    }
    return result;
  }

  async return(value?: unknown): Promise<IteratorResult<Event>> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#assembly.leave();
      await this.#source?.return?.();
    }
    return { done: true, value };
  }

  #show(result: IteratorResult<Event>): void {
    if (this.#isOver) return;
    if (result.done === true) {
      this.#isOver = true;
      this.#assembly.finish();
    } else {
      this.#take(result.value);
    }
  }
}
