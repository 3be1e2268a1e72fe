/** Questions to the user come after the events about their calls. */

import { setImmediate as nextTick } from "node:timers/promises";
import type { Ask } from "@runahead/engine";
import type { Channel } from "./channel.ts";

/**
 * Returns `ask`, but each question waits until the reader has all earlier events, so that it knows the call that it is
 * asked about.
 */
export function afterEvents(ask: Ask, events: Pick<Channel<unknown>, "read">): Ask {
  return async (question) => {
    await events.read();
    // The reader handles an event after it has taken it.
    await nextTick();
    if (question.signal.aborted) throw new Error("The question was withdrawn.");
    return ask(question);
  };
}
