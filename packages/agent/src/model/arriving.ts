/** Events of calls that are still arriving. */

import type { ArrivingCall } from "@runahead/engine";
import type { ModelEvent } from "./event.ts";

/** Returns `call-begun` as long as no input has arrived, then `call-delta`. */
export function arrivingEvent({ id, name, delta, preview }: Omit<ArrivingCall, "length">): ModelEvent {
  const callId = id.toWellFormed();
  const toolName = name.toWellFormed();
  if (delta === "") return { type: "call-begun", id: callId, name: toolName };
  return { type: "call-delta", id: callId, name: toolName, delta, preview };
}
