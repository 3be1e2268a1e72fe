/** What is the same in reading every provider's wire: events come out as they are ready, and nothing whole is lost. */

import type { ModelEvent } from "./event.ts";

/** Makes a model's events of a wire's. */
export interface WireReader<Event> {
  /** What has been made and not been taken. */
  readonly ready: ModelEvent[];
  take(event: Event): void;
  /** The response has ended. Throws where that was not its proper end. */
  finish(): void;
  /** It has broken off: what is whole of what was held back for its order. */
  giveRest?(): void;
}

export async function* readThrough<Event>(
  events: AsyncIterable<Event>,
  reader: WireReader<Event>,
): AsyncGenerator<ModelEvent, void, undefined> {
  try {
    for await (const event of events) {
      reader.take(event);
      yield* reader.ready.splice(0);
    }
    reader.finish();
  } catch (error) {
    // A call that is whole may run: its block must be known, although one before it never ended (promise 4).
    reader.giveRest?.();
    yield* reader.ready.splice(0);
    throw error;
  }
  yield* reader.ready.splice(0);
}
