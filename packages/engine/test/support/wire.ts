/** Streams and sinks for the tests of the wire adapters. */

import type { CallRequest } from "../../src/core/call.ts";
import type { ArrivingCall, CallSink, ResponseEnding } from "../../src/runtime/ports.ts";

/** Writes down what a sink receives, in one list, so that the order shows. */
export class Recording implements CallSink {
  readonly calls: CallRequest[] = [];
  readonly endings: ResponseEnding[] = [];
  readonly arrived: ArrivingCall[] = [];

  add(call: CallRequest): boolean {
    if (this.endings.length > 0) throw new Error("add after end");
    this.calls.push(call);
    return true;
  }

  end(ending?: ResponseEnding): void {
    this.endings.push(ending ?? { ok: true });
  }

  arriving(call: ArrivingCall): void {
    this.arrived.push(call);
  }

  get ids(): string[] {
    return this.calls.map((call) => call.id);
  }
}

export type Adapter = <Event>(events: AsyncIterable<Event>, sink: CallSink) => AsyncIterableIterator<Event>;

/** A stream of these events that ends well, or with this error. */
export async function* streamOf<Event>(events: readonly Event[], error?: Error): AsyncGenerator<Event> {
  yield* events;
  if (error !== undefined) throw error;
}

export interface Played {
  readonly sink: Recording;
  readonly passed: unknown[];
  readonly error: unknown;
  /** How many calls the sink had when each event came out. */
  readonly callsAt: number[];
}

/** Sends the events through an adapter, to their end. */
export async function play(adapter: Adapter, events: readonly unknown[], error?: Error): Promise<Played> {
  const sink = new Recording();
  const passed: unknown[] = [];
  const callsAt: number[] = [];
  let caught: unknown;
  try {
    for await (const event of adapter(streamOf(events, error), sink)) {
      passed.push(event);
      callsAt.push(sink.calls.length);
    }
  } catch (thrown) {
    caught = thrown;
  }
  return { sink, passed, error: caught, callsAt };
}

/** Cuts a text at these fractions of its length. */
export function cutAt(text: string, fractions: readonly number[]): string[] {
  const places = [0, ...fractions.map((fraction) => Math.floor(fraction * text.length)), text.length];
  const sorted = places.sort((one, other) => one - other);
  return sorted.slice(1).map((end, at) => text.slice(sorted[at], end));
}
