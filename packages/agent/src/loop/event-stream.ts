/**
 * The events of a run as an iterator over one channel: each event is one step for its reader, however deep in the loop
 * it was reported.
 */

import { type Channel, NOTHING } from "./channel.ts";

/** Above this number of unread events, the run waits for its reader before it goes on. */
const MOST_UNREAD = 1_000;

interface StreamPorts<Event, Result> {
  readonly channel: Channel<Event>;
  /** Yields its own events, and pushes others into the channel while it works. */
  readonly work: () => AsyncGenerator<Event, Result, undefined>;
  /** Stops the work. Called if the reader leaves early. */
  readonly stop: () => void;
  /** Prepares the work and cleans up after it. */
  readonly around?: Around<Result> | undefined;
}

export type Around<Result> = (work: () => Promise<Result>) => Promise<Result>;

export class EventStream<Event, Result> implements AsyncGenerator<Event, Result, undefined> {
  readonly #ports: StreamPorts<Event, Result>;
  #working: Promise<Result> | undefined;
  /** The last step that waits for its event. */
  #waiting: Promise<unknown> | undefined;
  #isOver = false;

  constructor(ports: StreamPorts<Event, Result>) {
    this.#ports = ports;
  }

  /** The first call starts the work. Not async, because most events are there when they are asked for. */
  next(): Promise<IteratorResult<Event, Result>> {
    const isReady = this.#working !== undefined && this.#waiting === undefined && !this.#isOver;
    const next = isReady ? this.#ports.channel.take() : NOTHING;
    if (next !== NOTHING) return Promise.resolve({ done: false, value: next });
    return this.#afterEarlier();
  }

  /** Several steps can be requested at once, and each gets its own event. */
  #afterEarlier(): Promise<IteratorResult<Event, Result>> {
    const later = (): Promise<IteratorResult<Event, Result>> => this.#later();
    const step = this.#waiting === undefined ? later() : this.#waiting.then(later, later);
    const clear = (): void => {
      if (this.#waiting === step) this.#waiting = undefined;
    };
    this.#waiting = step;
    step.then(clear, clear);
    return step;
  }

  async #later(): Promise<IteratorResult<Event, Result>> {
    if (this.#isOver) return { done: true, value: undefined as Result };
    const { channel } = this.#ports;
    const working = (this.#working ??= this.#begin());
    // The error is thrown below, after the events before it.
    working.catch(() => {});
    for (;;) {
      const next = channel.take();
      if (next !== NOTHING) return { done: false, value: next };
      if (channel.isClosed) break;
      await channel.wait();
    }
    this.#isOver = true;
    return { done: true, value: await working };
  }

  /** Stops the work and resolves when it has stopped. Events that were not read are dropped. */
  async return(value: Result | PromiseLike<Result>): Promise<IteratorResult<Event, Result>> {
    await this.#leave();
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<IteratorResult<Event, Result>> {
    await this.#leave();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
  }

  async #leave(): Promise<void> {
    this.#isOver = true;
    if (this.#working === undefined) return;
    this.#ports.stop();
    this.#ports.channel.close();
    await this.#working.catch(() => {});
  }

  async #begin(): Promise<Result> {
    const { channel, around } = this.#ports;
    try {
      return await (around === undefined ? this.#work() : around(() => this.#work()));
    } finally {
      channel.close();
    }
  }

  async #work(): Promise<Result> {
    const { channel, work } = this.#ports;
    const events = work();
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
      channel.push(next.value);
      if (channel.unread > MOST_UNREAD) await channel.drained();
    }
  }
}
