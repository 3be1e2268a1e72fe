/** Sends events to the listener. Without one, failures of the program's own code become process warnings. */

import { type Blocker, type Call, type State, shownState, statusOf } from "../core/call.ts";
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
  /** The last state of each call that was reported, until it is settled. */
  readonly #shown = new Map<string, State>();
  /** The failures that were warned about. */
  #warned: Set<string> | undefined;

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
    if (this.#onEvent !== undefined) this.#send({ ...event, at: this.#clock.now() });
  }

  #send(event: EngineEvent): void {
    try {
      this.#onEvent?.(event);
    } catch (error) {
      warn(`onEvent failed: ${messageOf(error)}`);
    }
  }

  /** A state that was reported already, or that the call has left again, is not reported. */
  state({ id, toolName, phase }: Call): void {
    const state = shownState(phase.state);
    if (state !== "settled") this.#state(id, toolName, state);
  }

  /** The call waits for a call of another executor, or for room below a limit. */
  waits({ id: callId, toolName }: Call, what: { waitsFor: Blocker } | { limit: string }): void {
    this.#shown.set(callId, "waiting");
    this.tell({ type: "call-changed", callId, toolName, state: "waiting", status: "queued", ...what });
  }

  /** Its tool is about to be called, perhaps with a changed input. */
  launching({ id, toolName }: Call, changed: { readonly input?: unknown }): void {
    this.#state(id, toolName, "running", changed);
  }

  #state(
    callId: string,
    toolName: string,
    state: Exclude<State, "settled">,
    more: { readonly input?: unknown } = {},
  ): void {
    if (this.#shown.get(callId) === state) return;
    this.#shown.set(callId, state);
    const at = this.#clock.now();
    this.#send({ type: "call-changed", callId, toolName, state, status: statusOf(state), at, ...more });
  }

  settled({ id: callId, toolName }: Call, outcome: Outcome, output: unknown): void {
    this.#shown.delete(callId);
    this.#send({
      type: "call-settled",
      callId,
      toolName,
      state: "settled",
      status: "completed",
      outcome,
      output,
      at: this.#clock.now(),
    });
  }

  yielded(callId: string): void {
    if (this.#onEvent === undefined) return;
    this.#send({ type: "call-yielded", callId, state: "settled", status: "yielded", at: this.#clock.now() });
  }

  hookFailed({ id: callId, tool }: Named, hook: string, error: unknown): void {
    const message = messageOf(error);
    this.#failed({ type: "hook-failed", callId, toolName: tool.name, hook, message }, `hooks.${hook}`);
  }

  resultsFailed(callId: string, toolName: string, message: string): void {
    this.#failed({ type: "results-failed", callId, toolName, message }, "results.store");
  }

  contextFailed(error: unknown): void {
    this.#failed({ type: "context-failed", message: messageOf(error) }, "context.change");
  }

  journalFailed(error: unknown): void {
    this.#failed({ type: "journal-failed", message: messageOf(error) }, "journal.record");
  }

  /** Without a listener nothing else would show it. The same part of the program is named once per turn. */
  #failed(event: Untimed<EngineEvent> & { readonly message: string }, what: string): void {
    if (this.hasListener) return this.tell(event);
    if (this.#warned?.has(what) === true) return;
    (this.#warned ??= new Set()).add(what);
    warn(`${what} failed: ${event.message}`);
  }
}
