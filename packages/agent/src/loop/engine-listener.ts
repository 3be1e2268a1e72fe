/** Turns what the engine reports about the calls of a turn into events of the agent. */

import { type AnyTool, type EngineEvent, type Outcome, describeCall } from "@runahead/engine";
import { AgentProgress } from "../agents/agent-progress.ts";
import type { Presence } from "../agents/presence.ts";
import type { Channel } from "./channel.ts";
import type { AgentEvent } from "./event.ts";

type Queued = Extract<AgentEvent, { type: "call-queued" }>;
type Started = Extract<AgentEvent, { type: "call-started" }>;
type Limit = { readonly limit: string | undefined };

/** Where events go. */
export type Pushing = Pick<Channel<AgentEvent>, "push" | "pushLatest">;

export interface ListenerParts {
  readonly events: Pushing;
  /** Notes when a sub-agent is at work. */
  readonly presence: Presence | undefined;
  readonly toolOf: (name: string) => AnyTool | undefined;
  /** Called when a denied call or a hook ends the turn. */
  readonly onTurnEnded: () => void;
  /** Called before a call is reported as ended. */
  readonly onSettled?: (callId: string, outcome: Outcome) => void;
}

export class EngineListener {
  readonly #parts: ListenerParts;
  readonly #events: Pushing;
  /** The ids of calls that run. */
  readonly #started = new Set<string>();
  #isHolding = false;
  /** A call that waits, as far as is known: it is not reported if the call starts at once. */
  #waiting: Queued | undefined;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#events = parts.events;
  }

  /** From now on, a call that is added and waits is reported by `giveWaiting`. */
  holdWaiting(): void {
    this.#isHolding = true;
  }

  giveWaiting(): void {
    this.#isHolding = false;
    this.#giveHeld();
  }

  #changed(toolName: string, input: unknown): Pick<Started, "changed"> {
    if (input === undefined) return {};
    const tool = this.#parts.toolOf(toolName);
    return { changed: { input, description: tool === undefined ? toolName : describeCall(tool, input) } };
  }

  #giveHeld(): void {
    if (this.#waiting === undefined) return;
    this.#events.push(this.#waiting);
    this.#waiting = undefined;
  }

  hear(event: EngineEvent): void {
    if (event.type !== "call-changed") this.#giveHeld();
    switch (event.type) {
      case "call-changed": {
        const { callId, toolName, state, limit, input } = event;
        if (state === "running") {
          if (this.#waiting?.callId === callId) this.#waiting = undefined;
          this.#note(callId, toolName, true);
          this.#events.push({ type: "call-started", callId, toolName, ...this.#changed(toolName, input) });
        } else if (state !== "stopping") this.#queued(callId, toolName, { state, limit });
        return;
      }
      case "call-progress":
        return this.#progress(event);
      case "call-retried": {
        const { at: _at, ...retried } = event;
        return this.#events.push(retried);
      }
      case "call-settled": {
        const { type, callId, toolName, outcome, output } = event;
        this.#note(callId, toolName, false);
        this.#parts.onSettled?.(callId, outcome);
        return this.#events.push({ type, callId, toolName, outcome, output });
      }
      case "turn-ended":
        return this.#parts.onTurnEnded();
      case "hook-failed":
        return this.#events.push({
          type: "notice",
          message: `The hook ${event.hook} failed: ${event.message}`,
        });
      case "journal-failed":
        return this.#events.push({
          type: "notice",
          message: `This session is not being saved: ${event.message}`,
        });
      case "results-failed":
        return this.#events.push({
          type: "notice",
          message: `Cannot store a large result: ${event.message}`,
        });
      case "context-failed":
        return this.#events.push({
          type: "notice",
          message: `A tool's change of the context failed: ${event.message}`,
        });
      // Previews come from the model's events. The rest changes nothing that is shown.
      case "call-arriving":
      case "call-duplicated":
      case "call-ended-late":
      case "call-yielded":
        return;
    }
  }

  #queued(callId: string, toolName: string, { state, limit }: Pick<Queued, "state"> & Limit): void {
    const event: Queued = {
      type: "call-queued",
      callId,
      toolName,
      state,
      ...(limit === undefined ? {} : { limit }),
    };
    this.#giveHeld();
    if (this.#isHolding && state === "waiting" && limit === undefined) this.#waiting = event;
    else this.#events.push(event);
  }

  /** Counts the calls that run, without those that wait for sub-agents. */
  #note(callId: string, toolName: string, isRunning: boolean): void {
    const { presence, toolOf } = this.#parts;
    if (presence === undefined || isRunning === this.#started.has(callId)) return;
    const tool = toolOf(toolName);
    if (tool === undefined || tool.delegates === true) return;
    if (isRunning) this.#started.add(callId);
    else this.#started.delete(callId);
    presence.runs(isRunning ? 1 : -1);
  }

  #progress({ callId, toolName, data }: Extract<EngineEvent, { type: "call-progress" }>): void {
    const event: AgentEvent =
      data instanceof AgentProgress
        ? agentEventOf({ callId, toolName }, data)
        : { type: "call-progress", callId, toolName, data };
    const key = lossyKey(event);
    if (key === undefined) this.#events.push(event);
    else this.#events.pushLatest(key, event);
  }
}

/** Wraps an event of a sub-agent that a call started. */
export function agentEventOf(
  call: { readonly callId: string; readonly toolName: string },
  { agentId, agentType, event }: AgentProgress,
): AgentEvent {
  return { type: "agent-event", ...call, agentId, agentType, event };
}

/**
 * Returns a key for events of which a slow reader gets only the latest. Events that begin or end something are never
 * dropped, because their call would stay open in every view.
 */
function lossyKey(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "agent-event": {
      const key = lossyKey(event.event);
      return key === undefined ? undefined : `${event.agentId} ${key}`;
    }
    case "call-progress":
    case "call-arriving":
      return `${event.type} ${event.callId}`;
    case "thinking":
      return event.type;
    default:
      return undefined;
  }
}
