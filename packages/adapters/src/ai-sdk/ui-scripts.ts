/** What a UI message shows of the calls that a script makes: how many, and the last ones with their states. */

import { type CallEvent, type UiAgentCall, callsAfter } from "./ui-calls.ts";
import type { RunEvent } from "./ui-events.ts";

/** The calls of a script: the data of a `data-calls` part, whose id is the id of the call that runs the script. */
export interface UiCalls {
  /** The call that runs the script. */
  readonly callId: string;
  /** The sub-agent that runs the script, if it is not the main agent. */
  readonly agentId?: string;
  /** How many calls the script has made. */
  readonly made: number;
  /** How many of them have ended without success. */
  readonly failed: number;
  /** The last 20 calls, oldest first. */
  readonly calls: readonly UiAgentCall[];
}

/** An event about a call of a script. */
interface ScriptEvent {
  readonly event: AnyCallEvent;
  /** The call that runs the script. */
  readonly parentId: string;
  readonly agentId?: string;
}

type AnyCallEvent = CallEvent | Extract<RunEvent, { readonly type: "call-progress" }>;

/** Runs have other events about calls too. */
const SHOWN: ReadonlySet<string> = new Set<AnyCallEvent["type"]>([
  "call-arrived",
  "call-started",
  "call-progress",
  "call-settled",
]);

/** Unwraps the event; undefined if it is not about a call of a script. */
export function scriptEvent(event: RunEvent, agentId?: string): ScriptEvent | undefined {
  if (event.type === "agent-event") return scriptEvent(event.event, event.agentId);
  if (!("parentId" in event) || event.parentId === undefined || !SHOWN.has(event.type)) return undefined;
  return { event, parentId: event.parentId, ...(agentId === undefined ? {} : { agentId }) };
}

const MOST_CALLS = 20;

export class UiScripts {
  readonly #scripts = new Map<string, UiCalls>();

  /** Returns the calls of the script as they are after the event. */
  take(
    event: CallEvent,
    { parentId, agentId }: ScriptEvent,
  ): { readonly id: string; readonly calls: UiCalls } {
    const ofAgent = agentId === undefined ? {} : { agentId };
    const id = agentId === undefined ? parentId : `${agentId} ${parentId}`;
    const before = this.#scripts.get(id) ?? { callId: parentId, ...ofAgent, made: 0, failed: 0, calls: [] };
    const calls = after(before, event);
    this.#scripts.set(id, calls);
    return { id, calls };
  }
}

function after(script: UiCalls, event: CallEvent): UiCalls {
  const calls = callsAfter(script.calls, event).slice(-MOST_CALLS);
  const isFailed = event.type === "call-settled" && event.outcome.type !== "succeeded";
  return {
    ...script,
    made: script.made + Number(event.type === "call-arrived"),
    failed: script.failed + Number(isFailed),
    calls,
  };
}
