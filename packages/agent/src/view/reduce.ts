/** Reduces the events of an agent to what a user interface shows. No IO, and no state except the view. */

import { aBoolean, checkOptions } from "@runahead/base";
import type { AgentEvent } from "../loop/event.ts";
import { addUsage } from "../model/token-usage.ts";
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
export function initialView(options: ViewOptions = {}): AgentView {
  checkOptions(options, { keepsContent: aBoolean }, "initialView");
  const { keepsContent = true } = options;
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
 * @returns undefined for an event of a sub-agent whose call has ended, unless it works in the background.
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
  if (own.type === "turn-ended" && agent !== view) view.agentsUsage = addUsage(view.agentsUsage, own.usage);
  return step;
}

function subAgent(
  caller: LiveAgent,
  { callId, agentId: id, agentType, event }: Extract<AgentEvent, { type: "agent-event" }>,
  atMs: number,
): LiveAgent | undefined {
  const call = caller.openCall(callId);
  const { keepsContent, backgroundAgents } = caller;
  const known = backgroundAgents.get(id);
  if (event.type === "ended") backgroundAgents.delete(id);
  if (known !== undefined) return known;
  const isStarted = event.type === "agent-started" && event.isBackground;
  if (call === undefined && !isStarted) return undefined;
  const make = (): LiveAgent => new LiveAgent({ id, agentType, call, keepsContent, idleSinceMs: atMs });
  const agent = call === undefined ? make() : call.agentOf(id, make);
  if (isStarted) backgroundAgents.set(id, agent);
  return agent;
}
