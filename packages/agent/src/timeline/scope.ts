/** One agent while it works: its open turn, and the calls of it that have not ended. */

import type { AgentEvent } from "../loop/event.ts";
import { type Draft, type Kept, LEFT_OUT } from "./kept.ts";
import type { CallContents } from "./content.ts";
import type { QueueSpan, QueueState, TimelineCall, TimelineTurn } from "./model.ts";
import { type Ended, numberOf } from "./reading.ts";
import { oneLine } from "./words.ts";

const DESCRIPTION_CHARS = 120;

/** More of them, by rules that keep changing, are one. */
const MOST_SPANS = 16;

type Arrived = AgentEvent & { readonly type: "call-arrived" };
type TurnEnded = AgentEvent & { readonly type: "turn-ended" };

interface OpenCall {
  readonly place: number;
  /** What keeps it from starting, and since when. */
  queued: { readonly state: QueueState; readonly sinceMs: number } | undefined;
}

export class Scope {
  readonly agent: number;
  /** The call that it works for. */
  parent: number | undefined;
  readonly #kept: Kept;
  readonly #contents: CallContents;
  readonly #open = new Map<string, OpenCall>();
  /** The place of the open turn. */
  #turn: number | undefined;
  #number = 0;
  /** Since when nothing kept the next request from being sent. */
  #idleSinceMs: number | undefined;

  constructor(kept: Kept, agent: number, contents: CallContents) {
    this.#kept = kept;
    this.agent = agent;
    this.#contents = contents;
  }

  callIndex(callId: string): number | undefined {
    const place = this.#open.get(callId)?.place;
    return place === LEFT_OUT ? undefined : place;
  }

  idle(atMs: number): void {
    this.#idleSinceMs = atMs;
  }

  begin({
    number,
    model,
    at,
  }: {
    readonly number: number;
    readonly model: string;
    readonly at: number;
  }): void {
    if (this.#turn !== undefined) this.again(at, at);
    this.#number = number;
    this.#turn = this.#newTurn(model, at);
  }

  content(at: number): void {
    const turn = this.#turnNow(at);
    if (turn !== undefined) turn.firstContentMs ??= at;
  }

  arriving(callId: string, toolName: string, at: number): void {
    this.content(at);
    const call = this.#call(this.#openCall(callId, toolName, at));
    if (call !== undefined) call.completeMs = at;
  }

  arrived({ callId, toolName, input, description }: Arrived, at: number): void {
    this.arriving(callId, toolName, at);
    const call = this.#call(this.#openCall(callId, toolName, at));
    if (call === undefined) return;
    const words = oneLine(description, DESCRIPTION_CHARS);
    // The name stands before it already.
    call.description = words.startsWith(`${toolName} `) ? words.slice(toolName.length + 1) : words;
    call.content = this.#contents.begin(input);
  }

  queued(callId: string, toolName: string, { state, at }: { state: QueueState; at: number }): void {
    const open = this.#openCall(callId, toolName, at);
    if (open.queued?.state === state) return;
    this.#unqueue(open, at);
    open.queued = { state, sinceMs: at };
  }

  started(callId: string, toolName: string, at: number): void {
    const open = this.#openCall(callId, toolName, at);
    this.#unqueue(open, at);
    const call = this.#call(open);
    if (call !== undefined) call.startedMs ??= at;
  }

  settled(callId: string, ended: Ended & { readonly toolName: string; readonly at: number }): void {
    const open = this.#openCall(callId, ended.toolName, ended.at);
    this.#unqueue(open, ended.at);
    const call = this.#call(open);
    this.#open.delete(callId);
    if (call === undefined) return;
    call.endedMs = ended.at;
    call.outcome = ended.outcome;
    call.detail = ended.detail;
    call.content = this.#contents.end(call.content, ended.output);
  }

  end({ stop, usage, timings }: TurnEnded, at: number): void {
    const turn = this.#turnNow(at);
    if (turn !== undefined) {
      const { totalMs, firstContentMs, responseMs } = { ...timings };
      turn.requestMs = at - numberOf(totalMs);
      turn.firstContentMs = turn.requestMs + numberOf(firstContentMs);
      turn.responseEndMs = turn.requestMs + numberOf(responseMs);
      turn.endedMs = at;
      turn.stop = stop;
      const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = { ...usage };
      turn.inputTokens = numberOf(inputTokens) + numberOf(cacheReadTokens) + numberOf(cacheWriteTokens);
      turn.outputTokens = numberOf(outputTokens);
    }
    this.#leave(at, at);
  }

  /** What was said does not count: it is asked for anew, at that time. */
  again(at: number, nextMs: number): void {
    this.#cut("again", at);
    this.#leave(at, nextMs);
  }

  /** Nothing more will come. */
  close(at: number): void {
    this.#cut("cut", at);
    this.#leave(at, undefined);
  }

  #cut(stop: "again" | "cut", at: number): void {
    const turn = this.#turn === undefined ? undefined : this.#kept.lists.turns[this.#turn];
    if (turn === undefined) return;
    turn.responseEndMs ??= at;
    turn.endedMs = at;
    turn.stop = stop;
  }

  /** Calls that are still open then never came in whole. */
  #leave(at: number, idleSinceMs: number | undefined): void {
    for (const open of this.#open.values()) {
      const call = this.#call(open);
      if (call === undefined) continue;
      this.#unqueue(open, at);
      call.endedMs = at;
      call.outcome = call.startedMs === undefined ? "not-run" : "stopped";
    }
    this.#open.clear();
    this.#turn = undefined;
    this.#idleSinceMs = idleSinceMs;
  }

  #newTurn(model: string, at: number): number {
    if (this.agent === LEFT_OUT) return this.#kept.leaveOut();
    return this.#kept.add("turns", {
      agent: this.agent,
      number: this.#number,
      model,
      requestMs: Math.min(this.#idleSinceMs ?? at, at),
      firstContentMs: undefined,
      responseEndMs: undefined,
      endedMs: undefined,
      stop: "open",
      inputTokens: 0,
      outputTokens: 0,
    });
  }

  /** Undefined where it was left out. */
  #turnNow(at: number): Draft<TimelineTurn> | undefined {
    if (this.#turn === undefined) {
      this.#number++;
      this.#turn = this.#newTurn("", at);
    }
    return this.#kept.lists.turns[this.#turn];
  }

  #openCall(callId: string, toolName: string, at: number): OpenCall {
    const known = this.#open.get(callId);
    if (known !== undefined) return known;
    const open: OpenCall = { place: this.#newCall(toolName, at), queued: undefined };
    this.#open.set(callId, open);
    return open;
  }

  #newCall(toolName: string, at: number): number {
    if (this.#turnNow(at) === undefined) return this.#kept.leaveOut();
    return this.#kept.add("calls", {
      turn: this.#turn as number,
      toolName,
      description: "",
      arrivedMs: at,
      completeMs: at,
      queue: [],
      startedMs: undefined,
      endedMs: undefined,
      outcome: "unfinished",
      detail: "",
      content: undefined,
    });
  }

  #call({ place }: OpenCall): Draft<TimelineCall> | undefined {
    return this.#kept.lists.calls[place];
  }

  /** Whatever kept it from starting does so no longer. */
  #unqueue(open: OpenCall, at: number): void {
    const { queued } = open;
    open.queued = undefined;
    const call = this.#call(open);
    if (call === undefined || queued === undefined || at <= queued.sinceMs) return;
    const span: QueueSpan = [queued.state, queued.sinceMs, at];
    call.queue = [...call.queue.slice(0, MOST_SPANS - 1), span];
  }
}
