/** A call while its agent works: the part of the view that events change. */

import type { Outcome } from "@runahead/engine";
import { shapeOf } from "@runahead/base";
import type { Judged } from "../gate/auto-turn.ts";
import type { LiveAgent } from "./live-agent.ts";
import type { Step } from "./step.ts";
import { Tail } from "./tail.ts";
import type { CallEnd, CallEnding, CallState, CallView, QueueSpan, QueueState } from "./view.ts";

const PRINTED_CHARS = 200_000;
/** Limits memory when rules keep changing: above this number, the last span is replaced. */
const MOST_SPANS = 16;
/** A script can make thousands of calls, with large results. */
const KEPT_CALLS = 100;

/** The calls that a call made, and the ids of those that have ended, oldest first. */
interface Made {
  readonly calls: Map<string, LiveCall>;
  readonly ended: string[];
}

interface Identity {
  readonly callId: string;
  readonly toolName: string;
  readonly parent?: LiveCall | undefined;
}

interface Arrived {
  readonly input: unknown;
  readonly description: string;
}

export class LiveCall implements CallView {
  readonly id: string;
  readonly toolName: string;
  readonly agent: LiveAgent;
  readonly arrivedMs: number;
  readonly parent: LiveCall | undefined;
  readonly agents = new Map<string, LiveAgent>();
  madeCalls = 0;
  failedCalls = 0;
  /** Created on demand, because few calls make calls. */
  #made: Made | undefined;
  readonly #printed = new Tail(PRINTED_CHARS);
  state: CallState = "arriving";
  hasInput = false;
  input: unknown;
  description = "";
  judged: Judged | undefined;
  status = "";
  limit: string | undefined;
  completeMs: number;
  queue: readonly QueueSpan[] = [];
  startedMs: number | undefined;
  endedMs: number | undefined;
  end: CallEnd | undefined;
  #queuedMs: number | undefined;
  #streamed: () => unknown = nothingYet;
  #whole: (() => unknown) | undefined;

  constructor(agent: LiveAgent, { callId, toolName, parent }: Identity, atMs: number) {
    this.agent = agent;
    this.parent = parent;
    this.id = callId;
    this.toolName = toolName;
    this.arrivedMs = atMs;
    this.completeMs = atMs;
  }

  /** The same function until more input arrives. Created on demand, to spare the garbage collector one per event. */
  get preview(): () => unknown {
    if (!this.hasInput) return this.#streamed;
    this.#whole ??= () => this.input;
    return this.#whole;
  }

  get calls(): ReadonlyMap<string, LiveCall> {
    return this.#made?.calls ?? NO_CALLS;
  }

  get printed(): string {
    return this.#printed.text;
  }

  arrives(preview: () => unknown, step: Step): void {
    if (this.hasInput) return;
    this.#streamed = preview;
    this.completeMs = step.atMs;
    step.call("preview", this);
  }

  arrived({ input, description }: Arrived, step: Step): void {
    if (this.hasInput) return;
    this.hasInput = true;
    this.input = input;
    this.#streamed = nothingYet;
    this.description = description;
    this.completeMs = step.atMs;
    if (this.state === "arriving") this.state = "arrived";
    step.call("input", this);
  }

  queued(state: QueueState, step: Step, limit?: string): void {
    if (limit !== undefined) {
      this.limit = limit;
      this.status = `Waiting for the limit of ${limit}.`;
    }
    if (this.state === state) return;
    this.#unqueue(step.atMs);
    this.#queuedMs = step.atMs;
    this.#enter(state, step);
  }

  /** `changed` is another input than the model's. */
  started(step: Step, changed?: Arrived): void {
    if (this.state === "running") return;
    if (changed !== undefined) {
      this.input = changed.input;
      this.description = changed.description;
      this.#whole = undefined;
      step.call("input", this);
    }
    if (this.limit !== undefined) this.status = "";
    this.#unqueue(step.atMs);
    this.startedMs ??= step.atMs;
    this.#enter("running", step);
  }

  progress(data: unknown, step: Step): void {
    const { type, content, message } = shapeOf(data);
    if (type === "output" && typeof content === "string") this.#printed.add(content);
    else if (type === "status" && typeof message === "string") this.status = message;
    else return;
    step.call("progress", this);
  }

  /** Shown like a status that the tool reports. */
  retries({ attempt, waitMs }: { readonly attempt: number; readonly waitMs: number }, step: Step): void {
    this.status = `Attempt ${attempt} failed. Trying again in ${(waitMs / 1_000).toFixed(1)} s.`;
    step.call("progress", this);
  }

  decided(judged: Judged, step: Step): void {
    this.judged = judged;
    step.call("judged", this);
  }

  settled(outcome: Outcome, output: unknown, step: Step): void {
    this.#over({ how: endingOf(outcome), outcome, output }, step);
  }

  /** Ends the call without a report of the executor. */
  dropped(step: Step): void {
    const how = this.startedMs === undefined ? "not-run" : "stopped";
    this.#over({ how, outcome: undefined, output: undefined }, step);
  }

  /** Returns the sub-agent of this event. It starts with its first event. */
  agentOf(id: string, make: () => LiveAgent): LiveAgent {
    const known = this.agents.get(id);
    if (known !== undefined) return known;
    const agent = make();
    this.agents.set(id, agent);
    return agent;
  }

  /** It makes a call. */
  makes(call: LiveCall): void {
    this.#made ??= { calls: new Map(), ended: [] };
    this.#made.calls.set(call.id, call);
    this.madeCalls++;
  }

  /** A call that it made has ended. */
  leaves(call: LiveCall, isKept: boolean): void {
    if (call.end?.how !== "succeeded") this.failedCalls++;
    if (this.#made === undefined) return;
    const { calls, ended } = this.#made;
    if (isKept) ended.push(call.id);
    else calls.delete(call.id);
    if (ended.length > KEPT_CALLS) calls.delete(ended.shift() ?? "");
  }

  #enter(state: CallState, step: Step): void {
    this.state = state;
    step.call("state", this);
  }

  #over(end: CallEnd, step: Step): void {
    this.#unqueue(step.atMs);
    for (const call of this.calls.values()) if (call.state !== "ended") this.agent.dropNested(call, step);
    this.state = "ended";
    this.endedMs = step.atMs;
    this.end = end;
    this.#printed.clear();
    for (const agent of this.agents.values()) if (!agent.isBackground) agent.close(step);
    step.call("ended", this);
  }

  #unqueue(atMs: number): void {
    const { state } = this;
    const sinceMs = this.#queuedMs;
    this.#queuedMs = undefined;
    if (sinceMs === undefined || atMs <= sinceMs || !isQueued(state)) return;
    this.queue = [...this.queue.slice(0, MOST_SPANS - 1), [state, sinceMs, atMs]];
  }
}

const NO_CALLS: ReadonlyMap<string, LiveCall> = new Map();

function nothingYet(): unknown {
  return {};
}

function isQueued(state: CallState): state is QueueState {
  return state === "judging" || state === "asking" || state === "waiting";
}

function endingOf(outcome: Outcome): CallEnding {
  if (outcome.type !== "aborted") return outcome.type;
  return outcome.effect === "none" ? "not-run" : "stopped";
}
