/** One agent while it works: its open turn, and the calls of it that have not ended. */

import type { AgentEvent } from "@runahead/agent";
import { type Draft, type Kept, LEFT_OUT } from "./kept.ts";
import type { TimelineCall, TimelineTurn } from "./model.ts";
import { type Ended, numberOf } from "./reading.ts";
import { oneLine } from "./words.ts";

const DESCRIPTION_CHARS = 120;

type Arriving = AgentEvent & { readonly type: "call-arriving" };
type TurnEnded = AgentEvent & { readonly type: "turn-ended" };

interface OpenCall {
  readonly place: number;
  /** Its input, until that has been described. */
  preview: (() => unknown) | undefined;
}

export class Scope {
  readonly agent: number;
  /** The call that it works for. */
  parent: number | undefined;
  readonly #kept: Kept;
  readonly #describe: (toolName: string, input: unknown) => string;
  readonly #open = new Map<string, OpenCall>();
  /** The place of the open turn. */
  #turn: number | undefined;
  #number = 0;
  /** Since when nothing kept the next request from being sent. */
  #idleSinceMs: number | undefined;

  constructor(kept: Kept, agent: number, describe: (toolName: string, input: unknown) => string) {
    this.#kept = kept;
    this.agent = agent;
    this.#describe = describe;
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

  arriving({ callId, toolName, preview }: Arriving, at: number): void {
    this.content(at);
    const open = this.#openCall(callId, toolName, at);
    const call = this.#call(open);
    if (call === undefined) return;
    call.completeMs = at;
    if (typeof preview === "function") open.preview = preview;
  }

  /** False where there is no such call. */
  asked(callId: string, at: number): boolean {
    const open = this.#open.get(callId);
    const call = open && this.#call(open);
    if (open === undefined || call === undefined || call.startedMs !== undefined) return false;
    this.#describeNow(open, call);
    call.askedMs ??= at;
    return true;
  }

  answered(callId: string, at: number): boolean {
    const open = this.#open.get(callId);
    const call = open && this.#call(open);
    if (call?.askedMs === undefined) return false;
    call.answeredMs = at;
    return true;
  }

  started(callId: string, toolName: string, at: number): void {
    const open = this.#openCall(callId, toolName, at);
    const call = this.#call(open);
    if (call === undefined) return;
    this.#describeNow(open, call);
    call.startedMs ??= at;
  }

  settled(callId: string, ended: Ended & { readonly toolName: string; readonly at: number }): void {
    const open = this.#openCall(callId, ended.toolName, ended.at);
    const call = this.#call(open);
    this.#open.delete(callId);
    if (call === undefined) return;
    this.#describeNow(open, call);
    call.endedMs = ended.at;
    call.outcome = ended.outcome;
    call.detail = ended.detail;
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
      this.#describeNow(open, call);
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
    const open: OpenCall = { place: this.#newCall(toolName, at), preview: undefined };
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
      askedMs: undefined,
      answeredMs: undefined,
      startedMs: undefined,
      endedMs: undefined,
      outcome: "unfinished",
      detail: "",
    });
  }

  #call({ place }: OpenCall): Draft<TimelineCall> | undefined {
    return this.#kept.lists.calls[place];
  }

  #describeNow(open: OpenCall, call: Draft<TimelineCall>): void {
    const { preview } = open;
    open.preview = undefined;
    if (preview === undefined) return;
    try {
      const words = oneLine(this.#describe(call.toolName, preview()), DESCRIPTION_CHARS);
      // The name stands before it already.
      call.description = words.startsWith(`${call.toolName} `)
        ? words.slice(call.toolName.length + 1)
        : words;
    } catch {
      // Input that a tool cannot describe: its name must do.
    }
  }
}
