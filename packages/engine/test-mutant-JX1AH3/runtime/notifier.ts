/** Sends events to the listener, if there is one. */

import { type Call, type State, shownState, statusOf } from "../core/call.ts";
import type { Blocker } from "../core/locks.ts";
import type { EngineEvent } from "./notice.ts";
import type { Outcome } from "../core/outcome.ts";
import { warn } from "./platform.ts";
import type { Clock } from "./ports.ts";
import { messageOf } from "./serialise.ts";

type Untimed<Event> = Event extends unknown ? Omit<Event, "at"> : never;

/** A call, as listeners see it. */
export interface Named {
  readonly id: string;
  readonly tool: { readonly name: string };
}

export class Notifier {
  readonly #onEvent: ((event: EngineEvent) => void) | undefined;
  readonly #clock: Clock;
  /** The last state of each call that was reported. */
  readonly #reported = new Map<string, State>();

  constructor(onEvent: ((event: EngineEvent) => void) | undefined, clock: Clock) {
    this.#onEvent = onEvent;
    this.#clock = clock;
  }

  /** Whether there is a listener. */
  get hasListener(): boolean {
    return this.#onEvent !== undefined;
  }

  /** A listener that throws must not affect the turn. */
  tell(event: Untimed<EngineEvent>): void {
    if (this.#onEvent === undefined) return;
    try {
      this.#onEvent({ ...event, at: this.#clock.now() });
    } catch (error) {
      warn(`onEvent failed: ${messageOf(error)}`);
    }
  }

  /** A state that was reported already, or that the call has left again, is not reported. */
  state({ id, toolName, phase }: Call, blocker?: Blocker, limit?: string): void {
    const state = shownState(phase.state);
    if (phase.state === "queued" && blocker !== undefined) this.#waits(id, toolName, { waitsFor: blocker });
    else if (phase.state === "queued" && limit !== undefined) this.#waits(id, toolName, { limit });
    else if (state !== "settled") this.#state(id, toolName, state);
  }

  #waits(callId: string, toolName: string, what: { waitsFor: Blocker } | { limit: string }): void {
    this.#reported.set(callId, "waiting");
    this.tell({ type: "call-changed", callId, toolName, state: "waiting", status: "queued", ...what });
  }

  /** Its tool is about to be called. */
  launching({ id, toolName }: Call): void {
    this.#state(id, toolName, "running");
  }

  /** The arrival is reported even if a call starts at once. */
  arrived({ id, tool }: Named): void {
    if (this.hasListener) this.#state(id, tool.name, "waiting");
  }

  #state(callId: string, toolName: string, state: Exclude<State, "settled">): void {
    if (this.#reported.get(callId) === state) return;
    this.#reported.set(callId, state);
    this.tell({ type: "call-changed", callId, toolName, state, status: statusOf(state) });
  }

  settled({ id: callId, toolName }: Call, outcome: Outcome, output: unknown): void {
    this.#reported.delete(callId);
    this.tell({
      type: "call-settled",
      callId,
      toolName,
      state: "settled",
      status: "completed",
      outcome,
      output,
    });
  }

  hookFailed({ id: callId, tool }: Named, hook: string, error: unknown): void {
    this.tell({ type: "hook-failed", callId, toolName: tool.name, hook, message: messageOf(error) });
  }

  resultsFailed(callId: string, toolName: string, message: string): void {
    this.tell({ type: "results-failed", callId, toolName, message });
  }

  contextFailed(error: unknown): void {
    this.tell({ type: "context-failed", message: messageOf(error) });
  }
}
