/** Reads any provider's wire: events are yielded as soon as they are ready, and no complete block is lost. */

import type { ModelEvent } from "./event.ts";

/** Turns events of a wire into events of a model. */
export interface WireReader<Event> {
  /** Events that have not been yielded yet. */
  readonly ready: ModelEvent[];
  take(event: Event): void;
  /** The response has ended. Throws if the end is not a proper one. */
  finish(): void;
  /** The response has broken off: makes the complete blocks ready that waited for their order. */
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
    // A complete call can already run, so its block must be known even if an earlier one never ended (promise 4).
    reader.giveRest?.();
    yield* reader.ready.splice(0);
    throw error;
  }
  yield* reader.ready.splice(0);
}
