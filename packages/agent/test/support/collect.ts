/** All events of a model's stream, and the error that ended it. */

import type { ModelError } from "../../src/model/error.ts";
import type { ModelEvent } from "../../src/model/event.ts";

export interface Collected {
  readonly events: ModelEvent[];
  readonly error: ModelError | undefined;
}

export async function collect(stream: AsyncIterable<ModelEvent>): Promise<Collected> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error: error as ModelError };
  }
}
