/** A turn while its agent works: the part of the view that events change. */

import type { OwnEvent } from "./view.ts";
import type { Usage } from "../model/event.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import type { LiveAgent } from "./live-agent.ts";
import { LiveCall } from "./live-call.ts";
import type { Step } from "./step.ts";
import type { TurnStop, TurnView } from "./view.ts";

type TurnEnded = Extract<OwnEvent, { type: "turn-ended" }>;

interface Beginning {
  readonly number: number;
  readonly model: string;
  readonly requestMs: number;
}

export class LiveTurn implements TurnView {
  readonly agent: LiveAgent;
  readonly number: number;
  readonly model: string;
  readonly calls = new Map<string, LiveCall>();
  readonly openCalls = new Map<string, LiveCall>();
  /** The open calls that calls made, by id. */
  readonly nested = new Map<string, LiveCall>();
  text = "";
  thinking = "";
  requestMs: number;
  firstContentMs: number | undefined;
  responseEndMs: number | undefined;
  endedMs: number | undefined;
  stop: TurnStop = "open";
  usage: Usage = NO_USAGE;

  constructor(agent: LiveAgent, { number, model, requestMs }: Beginning) {
    this.agent = agent;
    this.number = number;
    this.model = model;
    this.requestMs = requestMs;
  }

  content(step: Step): void {
    if (this.firstContentMs !== undefined) return;
    this.firstContentMs = step.atMs;
    step.turn(this);
  }

  /** Returns the call with this id; undefined if it has ended, because later events are ignored. */
  call(about: { callId: string; toolName: string }, step: Step): LiveCall | undefined {
    const known = this.openCalls.get(about.callId);
    if (known !== undefined || this.calls.has(about.callId)) return known;
    const call = new LiveCall(this.agent, about, step.atMs);
    this.calls.set(call.id, call);
    this.openCalls.set(call.id, call);
    step.call("began", call);
    return call;
  }

  /** Returns the call with this id that `parent` made; undefined if it has ended. */
  nestedCall(
    about: { callId: string; toolName: string },
    parent: LiveCall,
    step: Step,
  ): LiveCall | undefined {
    const known = this.nested.get(about.callId);
    if (known !== undefined || parent.calls.has(about.callId)) return known;
    const call = new LiveCall(this.agent, { ...about, parent }, step.atMs);
    this.nested.set(call.id, call);
    parent.makes(call);
    step.call("began", call);
    return call;
  }

  leave(call: LiveCall): void {
    this.openCalls.delete(call.id);
    if (!this.agent.keepsContent) this.calls.delete(call.id);
  }

  /** Uses the turn's own timings, which are exact: events arrive slightly later. */
  ended({ stop, usage, timings }: TurnEnded, step: Step): void {
    this.requestMs = step.atMs - timings.totalMs;
    this.firstContentMs = this.requestMs + timings.firstContentMs;
    this.responseEndMs = this.requestMs + timings.responseMs;
    this.usage = usage;
    this.#over(stop, step);
  }

  /** Ends the turn. */
  cut(stop: "again" | "cut", step: Step): void {
    this.responseEndMs ??= step.atMs;
    this.#over(stop, step);
  }

  /** Ends the calls that never became complete. */
  #over(stop: TurnStop, step: Step): void {
    this.endedMs = step.atMs;
    this.stop = stop;
    for (const call of this.openCalls.values()) {
      this.leave(call);
      call.dropped(step);
    }
    step.turn(this);
  }
}
