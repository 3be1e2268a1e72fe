/** Events of calls that are still arriving. */

import type { ArrivingCall } from "@runahead/engine";
import type { ModelEvent } from "./event.ts";

/** Returns `call-begun` as long as no input has arrived, then `call-delta`. */
export function arrivingEvent({ id, name, delta, preview }: Omit<ArrivingCall, "length">): ModelEvent {
  const call = { id: id.toWellFormed(), name: name.toWellFormed() };
  return delta === "" ? { type: "call-begun", ...call } : { type: "call-delta", ...call, delta, preview };
}
