/** What a UI message shows of calls that have no part of their own: those of sub-agents and of scripts. */

import type { RunEvent } from "./ui-events.ts";

/** A call of a sub-agent or of a script. */
export interface UiAgentCall {
  /** The id of the call. */
  readonly id: string;
  /** The name of its tool. */
  readonly toolName: string;
  /** What it does, in one line. */
  readonly description: string;
  /** `waiting`, `running`, or how it ended: `succeeded`, `failed`, `denied` or `aborted`. */
  readonly state: string;
}

/** An event that changes the list of calls. */
export type CallEvent = Extract<
  RunEvent,
  { readonly type: "call-arrived" | "call-started" | "call-settled" }
>;

/** Returns the calls as they are after the event, oldest first. */
export function callsAfter(calls: readonly UiAgentCall[], event: CallEvent): readonly UiAgentCall[] {
  switch (event.type) {
    case "call-arrived": {
      const { callId: id, toolName, description } = event;
      return [...calls, { id, toolName, description, state: "waiting" }];
    }
    case "call-started":
      return withState(calls, event.callId, "running");
    case "call-settled":
      return withState(calls, event.callId, event.outcome.type);
  }
}

function withState(calls: readonly UiAgentCall[], id: string, state: string): readonly UiAgentCall[] {
  return calls.map((call) => (call.id === id ? { ...call, state } : call));
}
