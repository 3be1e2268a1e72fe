/** Reads any provider's wire: events are passed on as soon as they are ready, and no complete block is lost. */

import type { CallReader } from "@runahead/engine/wire";
import type { ModelEvent } from "./event.ts";

/** Turns events of a wire into events of a model. */
export interface WireReader<Event> {
  /** Events that have not been passed on yet. */
  readonly ready: ModelEvent[];
  /** Sees each event before its calls are added. */
  look?(event: Event): void;
  take(event: Event): void;
  /** The response has ended. Throws if the end is not a proper one. */
  finish(): void;
  /** The response has broken off: makes the complete blocks ready that waited for their order. */
  giveRest?(): void;
}

/**
 * The events of a response. Those that arrived together can be read together, which saves a promise for each; a
 * reader that does not know about batches gets one event after the other.
 */
export class EventBatches implements AsyncIterable<ModelEvent> {
  readonly batches: AsyncIterable<readonly ModelEvent[]>;

  constructor(batches: AsyncIterable<readonly ModelEvent[]>) {
    this.batches = batches;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ModelEvent, void, undefined> {
    for await (const batch of this.batches) yield* batch;
  }
}

interface Passing {
  /** Returns what takes the place of an event. Default: the event. */
  readonly each?: (event: ModelEvent) => Iterable<ModelEvent>;
  /** Returns the error to throw instead. Default: the same. */
  readonly failed?: (error: unknown) => unknown;
}

/** Passes a model's events on, for models around other models, and keeps together what arrived together. */
export function passOn(open: () => AsyncIterable<ModelEvent>, passing: Passing): AsyncIterable<ModelEvent> {
  return new EventBatches(passedOn(open, passing));
}

async function* passedOn(
  open: () => AsyncIterable<ModelEvent>,
  { each, failed = (error) => error }: Passing,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  try {
    for await (const batch of batchesOf(open()))
      yield each === undefined ? batch : batch.flatMap((event) => [...each(event)]);
  } catch (error) {
    throw failed(error);
  }
}

/** Returns the events of any model in batches. */
export async function* batchesOf(
  stream: AsyncIterable<ModelEvent>,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  if (stream instanceof EventBatches) yield* stream.batches;
  else for await (const event of stream) yield [event];
}

interface Wire<Event> {
  readonly reader: WireReader<Event>;
  /** Adds the calls to the reader. */
  readonly calls: CallReader;
}

export function readThrough<Event>(
  batches: AsyncIterable<readonly Event[]>,
  wire: Wire<Event>,
): EventBatches {
  return new EventBatches(readBatches(batches, wire));
}

async function* readBatches<Event>(
  batches: AsyncIterable<readonly Event[]>,
  { reader, calls }: Wire<Event>,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  try {
    for await (const batch of batches) {
      for (const event of batch) {
        reader.look?.(event);
        calls.take(event);
        reader.take(event);
      }
      if (reader.ready.length > 0) yield reader.ready.splice(0);
    }
    calls.finish();
    reader.finish();
  } catch (error) {
    calls.fail(`the connection was cut: ${error instanceof Error ? error.message : String(error)}`);
    // A complete call can already run, so its block must be known even if an earlier one never ended (promise 4).
    reader.giveRest?.();
    yield reader.ready.splice(0);
    throw error;
  }
  yield reader.ready.splice(0);
}
