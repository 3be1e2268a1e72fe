/** An agent while it works: the part of the view that events change. */

import type { QueryResult } from "../loop/event.ts";
import type { Usage } from "../model/event.ts";
import { NO_USAGE, addUsage } from "../model/token-usage.ts";
import type { LiveCall } from "./live-call.ts";
import { LiveTurn } from "./live-turn.ts";
import type { Step } from "./step.ts";
import type { AgentView, OwnEvent } from "./view.ts";

type Of<Type extends OwnEvent["type"]> = Extract<OwnEvent, { type: Type }>;

interface AboutCall {
  readonly callId: string;
  readonly toolName: string;
  readonly parentId?: string;
}

interface Whose {
  readonly id: string;
  readonly agentType: string;
  readonly call: LiveCall | undefined;
  readonly keepsContent: boolean;
  /** When it could send its first request. */
  readonly idleSinceMs: number | undefined;
}

export class LiveAgent implements AgentView {
  readonly id: string;
  readonly agentType: string;
  readonly call: LiveCall | undefined;
  readonly keepsContent: boolean;
  turn: LiveTurn | undefined;
  isThinking = false;
  settledCalls = 0;
  usage: Usage = NO_USAGE;
  judgeUsage: Usage = NO_USAGE;
  contextTokens = 0;
  costUsd: number | undefined = 0;
  result: QueryResult | undefined;
  description = "";
  isBackground = false;
  agentsUsage: Usage = NO_USAGE;
  readonly backgroundAgents = new Map<string, LiveAgent>();
  /** When the next request could be sent. */
  #idleSinceMs: number | undefined;

  constructor({ id, agentType, call, keepsContent, idleSinceMs }: Whose) {
    this.id = id;
    this.agentType = agentType;
    this.call = call;
    this.keepsContent = keepsContent;
    this.#idleSinceMs = idleSinceMs;
  }

  /** Ignores events of unknown types. */
  apply(event: OwnEvent, step: Step): void {
    if (event.type !== "call-progress") this.isThinking = event.type === "thinking";
    switch (event.type) {
      case "message-started":
        return this.#begin(event, step);
      case "text":
      case "thinking":
        return this.#say(event, step);
      case "call-arriving":
        return this.#arriving(event, step)?.arrives(event.preview, step);
      case "call-arrived":
        return this.#arriving(event, step)?.arrived(event, step);
      case "call-queued":
        return this.#call(event, step)?.queued(event.state, step, event.limit);
      case "call-started":
        return this.#call(event, step)?.started(step, event.changed);
      case "call-progress":
        return this.openCall(event.callId)?.progress(event.data, step);
      case "call-retried":
        return this.openCall(event.callId)?.retries(event, step);
      case "call-settled":
        return this.#settled(event, step);
      case "permission-judged":
        this.judgeUsage = addUsage(this.judgeUsage, event.usage);
        return this.openCall(event.callId)?.decided(event, step);
      case "turn-ended":
        return this.#turnEnded(event, step);
      case "retry":
        return this.#again(step, step.atMs + event.waitMs);
      case "compacted":
        this.contextTokens = event.afterTokens;
        return this.#again(step, step.atMs);
      case "prompt-attached":
        this.result = undefined;
        this.#idleSinceMs = step.atMs;
        return;
      case "ended":
        return this.#ended(event.result, step);
      case "agent-started":
        this.description = event.description;
        this.isBackground = event.isBackground;
        return;
      case "notice":
      default:
    }
  }

  openCall(callId: string): LiveCall | undefined {
    return this.turn?.openCalls.get(callId) ?? this.turn?.nested.get(callId);
  }

  /** Ends a call that another call made, because that call has ended. */
  dropNested(call: LiveCall, step: Step): void {
    this.turn?.nested.delete(call.id);
    call.dropped(step);
    call.parent?.leaves(call, this.keepsContent);
  }

  /** Ends a sub-agent whose call has ended. */
  close(step: Step): void {
    this.isThinking = false;
    this.#cut("cut", step);
  }

  #begin({ turn: number, model }: Of<"message-started">, step: Step): void {
    this.#cut("again", step);
    this.#newTurn(number, model, step);
  }

  #say({ type, text }: Of<"text" | "thinking">, step: Step): void {
    const turn = this.#turnNow(step);
    turn.content(step);
    if (this.keepsContent) turn[type] += text;
  }

  #arriving(event: Of<"call-arriving" | "call-arrived">, step: Step): LiveCall | undefined {
    if (event.type === "call-arrived" && event.parentId !== undefined) return this.#nested(event, step);
    const turn = this.#turnNow(step);
    turn.content(step);
    return turn.call(event, step);
  }

  /** Creates the call if the listener missed its arrival. */
  #call(event: AboutCall, step: Step): LiveCall | undefined {
    if (event.parentId !== undefined) return this.#nested(event, step);
    if (this.turn?.calls.has(event.callId) === true) return this.openCall(event.callId);
    return this.#turnNow(step).call(event, step);
  }

  /** A call whose parent is not known or has ended is ignored. */
  #nested(event: AboutCall, step: Step): LiveCall | undefined {
    const parent = event.parentId === undefined ? undefined : this.openCall(event.parentId);
    return parent === undefined ? undefined : this.turn?.nestedCall(event, parent, step);
  }

  #settled(event: Of<"call-settled">, step: Step): void {
    const call = this.#call(event, step);
    if (call === undefined) return;
    if (call.parent !== undefined) {
      this.turn?.nested.delete(call.id);
      call.settled(event.outcome, event.output, step);
      return call.parent.leaves(call, this.keepsContent);
    }
    this.settledCalls++;
    this.turn?.leave(call);
    call.settled(event.outcome, event.output, step);
  }

  #turnEnded(event: Of<"turn-ended">, step: Step): void {
    const { usage } = event;
    this.usage = addUsage(this.usage, usage);
    this.contextTokens =
      usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
    this.#turnNow(step).ended(event, step);
    this.#idleSinceMs = step.atMs;
  }

  #again(step: Step, nextMs: number): void {
    this.#cut("again", step);
    this.#idleSinceMs = nextMs;
  }

  #ended(result: QueryResult, step: Step): void {
    this.#cut("cut", step);
    this.#idleSinceMs = undefined;
    this.result = result;
    const { costUsd } = result;
    this.costUsd = this.costUsd === undefined || costUsd === undefined ? undefined : this.costUsd + costUsd;
  }

  #cut(stop: "again" | "cut", step: Step): void {
    if (this.turn?.stop === "open") this.turn.cut(stop, step);
  }

  /** Creates the turn if the listener missed its start. */
  #turnNow(step: Step): LiveTurn {
    if (this.turn?.stop === "open") return this.turn;
    return this.#newTurn((this.turn?.number ?? 0) + 1, "", step);
  }

  #newTurn(number: number, model: string, step: Step): LiveTurn {
    const requestMs = Math.min(this.#idleSinceMs ?? step.atMs, step.atMs);
    this.turn = new LiveTurn(this, { number, model, requestMs });
    this.result = undefined;
    step.turn(this.turn);
    return this.turn;
  }
}
