/** The events of calls that calls make, such as those of a script: the same events as for calls of the model, with `parentId`. */

import type { NestedArrival } from "@runahead/base";
import type { Cause, EngineEvent, Outcome } from "@runahead/engine";
import type { Channel } from "./channel.ts";
import { EngineListener, type Pushing } from "./engine-listener.ts";
import type { AgentEvent } from "./event.ts";

export type NestedEvent = NestedArrival | EngineEvent;

interface OpenCall {
  readonly toolName: string;
  startedMs: number | undefined;
}

export class NestedEvents {
  readonly #events: Channel<AgentEvent>;
  readonly #parents = new Map<string, ParentCall>();
  /** The calls that made the calls that have not ended. */
  readonly #parentOf = new Map<string, string>();

  constructor(events: Channel<AgentEvent>) {
    this.#events = events;
  }

  hear(event: NestedEvent, parentId: string): void {
    const parent = this.#parents.get(parentId) ?? this.#begin(parentId);
    if (event.type === "call-arrived") this.#parentOf.set(event.callId, parentId);
    if (event.type === "call-settled") {
      this.#parentOf.delete(event.callId);
      // A script can call a tool that runs another script.
      this.close(event.callId, event.outcome);
    }
    parent.hear(event);
  }

  /** Adds the call that made the call of the event, if there is one. */
  push(event: AgentEvent): void {
    const parentId = "callId" in event ? this.#parentOf.get(event.callId) : undefined;
    this.#events.push(parentId === undefined ? event : withParent(event, parentId));
  }

  /** A call has ended. If it made calls that are still running, nobody waits for them any more, so they end before it. */
  close(parentId: string, outcome: Outcome): void {
    const end = (callId: string, ended: Outcome): void => {
      this.#parentOf.delete(callId);
      this.close(callId, ended);
    };
    this.#parents.get(parentId)?.close(outcome, end);
  }

  #begin(parentId: string): ParentCall {
    const parent = new ParentCall(withParents(this.#events, parentId));
    this.#parents.set(parentId, parent);
    return parent;
  }
}

class ParentCall {
  readonly #events: Pushing;
  readonly #listener: EngineListener;
  readonly #open = new Map<string, OpenCall>();
  #isOver = false;

  constructor(events: Pushing) {
    this.#events = events;
    this.#listener = new EngineListener({
      events,
      presence: undefined,
      toolOf: () => undefined,
      // The script goes on: its next calls fail.
      onTurnEnded: () => {},
    });
  }

  hear(event: NestedEvent): void {
    if (this.#isOver) return;
    if (event.type === "call-arrived") return this.#arrived(event);
    if (!("callId" in event)) return this.#listener.hear(event);
    const call = this.#open.get(event.callId);
    if (call === undefined) return;
    if (event.type === "call-changed" && event.state === "running") call.startedMs ??= performance.now();
    if (event.type === "call-settled") this.#open.delete(event.callId);
    this.#listener.hear(event);
  }

  /** `onEnd` is called with each call that ends now, before it is reported. */
  close(outcome: Outcome, onEnd: (callId: string, outcome: Outcome) => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.giveWaiting();
    for (const [callId, { toolName, startedMs }] of this.#open) {
      const ended = endedWith(outcome, startedMs);
      onEnd(callId, ended);
      this.#events.push({ type: "call-settled", callId, toolName, outcome: ended, output: undefined });
    }
    this.#open.clear();
  }

  #arrived({ type, callId, toolName, input, description }: NestedArrival): void {
    this.#open.set(callId, { toolName, startedMs: undefined });
    this.#events.push({ type, callId, toolName, input, description });
    // Whether the call starts at once is known when the executor has it.
    this.#listener.holdWaiting();
    queueMicrotask(() => this.#listener.giveWaiting());
  }
}

function withParents(events: Channel<AgentEvent>, parentId: string): Pushing {
  return {
    push: (event) => events.push(withParent(event, parentId)),
    pushLatest: (kind, event) => events.pushLatest(kind, withParent(event, parentId)),
  };
}

/** Notices are not about a call. */
function withParent(event: AgentEvent, parentId: string): AgentEvent {
  return "callId" in event && event.type !== "call-arriving" ? { ...event, parentId } : event;
}

function endedWith(parent: Outcome, startedMs: number | undefined): Outcome {
  const before = { type: "aborted", cause: causeOf(parent), output: "" } as const;
  if (startedMs === undefined) return { ...before, effect: "none", ranMs: 0, abandoned: false };
  return { ...before, effect: "unknown", ranMs: performance.now() - startedMs, abandoned: true };
}

function causeOf(outcome: Outcome): Cause {
  if (outcome.type === "aborted") return outcome.cause;
  return { kind: "user-interrupted", reason: "the call that made it has ended" };
}
