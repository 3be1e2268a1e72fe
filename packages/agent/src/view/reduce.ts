/** Reduces the events of an agent to what a user interface shows. No IO, and no state except the view. */

import type { AgentEvent } from "../loop/event.ts";
import { LiveAgent } from "./live-agent.ts";
import { Step } from "./step.ts";
import type { AgentView, ViewStep } from "./view.ts";

/** Options of {@link initialView}. */
export interface ViewOptions {
  /**
   * Whether a turn keeps its text, and its calls after they have ended (default: true). Set it to false to record very
   * long turns without keeping them in memory; each call is still reported once when it ends.
   */
  readonly keepsContent?: boolean;
}

/**
 * Creates the view of an agent that has not done anything yet, for {@link reduce}.
 *
 * @example
 * ```ts
 * const view = initialView();
 * const agent = createAgent({ model, tools, onEvent: (event) => reduce(view, event) });
 * ```
 */
export function initialView({ keepsContent = true }: ViewOptions = {}): AgentView {
  return new LiveAgent({ id: "", agentType: "", call: undefined, keepsContent, idleSinceMs: undefined });
}

/**
 * Applies one event to a view, in place and in constant time, and returns what it changed.
 *
 * Pass it every event of one agent, in order. Events of sub-agents update the view of the call that they work for. Each
 * call gets exactly one end. Events of unknown types are ignored.
 *
 * @param view - made by {@link initialView}; throws a `TypeError` for anything else.
 * @param atMs - when the event happened, on a clock that never goes back (default: `performance.now()`).
 * @returns undefined for an event of a sub-agent whose call has ended.
 *
 * @example
 * ```ts
 * const step = reduce(view, event);
 * for (const { what, call } of step?.calls ?? [])
 *   if (what === "ended") console.log(call.description, call.end?.how);
 * ```
 */
export function reduce(
  view: AgentView,
  event: AgentEvent,
  atMs: number = performance.now(),
): ViewStep | undefined {
  if (!(view instanceof LiveAgent))
    throw new TypeError("reduce() needs a view that was made by initialView().");
  let agent: LiveAgent | undefined = view;
  let own = event;
  while (own.type === "agent-event") {
    agent = subAgent(agent, own, atMs);
    if (agent === undefined) return undefined;
    own = own.event;
  }
  const step = new Step(agent, own, atMs);
  agent.apply(own, step);
  return step;
}

function subAgent(
  caller: LiveAgent,
  { callId, agentId: id, agentType }: Extract<AgentEvent, { type: "agent-event" }>,
  atMs: number,
): LiveAgent | undefined {
  const call = caller.openCall(callId);
  const { keepsContent } = caller;
  return call?.agentOf(id, () => new LiveAgent({ id, agentType, call, keepsContent, idleSinceMs: atMs }));
}
