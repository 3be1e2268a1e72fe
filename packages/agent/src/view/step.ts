/** Collects the changes of one event. */

import type { AgentView, CallChange, CallView, OwnEvent, TurnView, ViewStep } from "./view.ts";

/** Shared by the many events that change no turn and no call. */
const NONE: readonly never[] = [];

export class Step implements ViewStep {
  readonly agent: AgentView;
  readonly event: OwnEvent;
  readonly atMs: number;
  #calls: CallChange[] | undefined;
  #turns: TurnView[] | undefined;

  constructor(agent: AgentView, event: OwnEvent, atMs: number) {
    this.agent = agent;
    this.event = event;
    this.atMs = atMs;
  }

  get calls(): readonly CallChange[] {
    return this.#calls ?? NONE;
  }

  get turns(): readonly TurnView[] {
    return this.#turns ?? NONE;
  }

  call(what: CallChange["what"], call: CallView): void {
    this.#calls ??= [];
    this.#calls.push({ what, call });
  }

  turn(turn: TurnView): void {
    this.#turns ??= [];
    if (!this.#turns.includes(turn)) this.#turns.push(turn);
  }
}
