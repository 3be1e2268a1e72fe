/** Calls on their way in, as events of a model. */

import type { ArrivingCall } from "@runahead/engine";
import type { ModelEvent } from "./event.ts";

/** A call that is on its way in; it has just begun while nothing of its input has come. */
export function arrivingEvent({ id, name, delta, preview }: Omit<ArrivingCall, "length">): ModelEvent {
  const call = { id: id.toWellFormed(), name: name.toWellFormed() };
  return delta === "" ? { type: "call-begun", ...call } : { type: "call-delta", ...call, delta, preview };
}
