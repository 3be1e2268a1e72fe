/** The spans of one agent: its own, one per response and one per call. The spans of a sub-agent are children of its call. */

import {
  type Attributes,
  type Context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Outcome } from "@runahead/engine";
import type { AgentEvent, QueryResult } from "../loop/event.ts";
import type { Usage } from "../model/event.ts";
import { CallSpan } from "./otel-call.ts";
import { bounded, messages, promptText } from "./otel-content.ts";
import * as names from "./otel-names.ts";

export interface ScopePorts {
  readonly tracer: Tracer;
  readonly captureContent: boolean;
  /** Attributes of every span. */
  readonly common: Attributes;
}

interface AgentFacts {
  readonly name: string;
  readonly attributes: Attributes;
}

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** What is known of a call when its span begins. */
interface Begun {
  readonly callId: string;
  readonly toolName: string;
  readonly input?: unknown;
  /** The call that made it. */
  readonly parentId?: string;
}

export class AgentScope {
  readonly #ports: ScopePorts;
  readonly #context: Context;
  readonly #calls = new Map<string, CallSpan>();
  readonly #children = new Map<string, AgentScope>();
  /** Background agents that have not ended, by id. */
  readonly #background = new Map<string, AgentScope>();
  /** When the current response was requested, as far as events show it. */
  #requestedAt: number;
  #model: string | undefined;
  #attempt = 0;
  readonly #said: string[] = [];

  constructor(ports: ScopePorts, parent: Context, { name, attributes }: AgentFacts) {
    this.#ports = ports;
    this.#requestedAt = now();
    const span = ports.tracer.startSpan(
      `${names.OPERATIONS.agent} ${name}`.trimEnd(),
      {
        kind: SpanKind.INTERNAL,
        startTime: this.#requestedAt,
        attributes: { ...ports.common, ...attributes, [names.OPERATION]: names.OPERATIONS.agent },
      },
      parent,
    );
    this.#context = trace.setSpan(parent, span);
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case "prompt-attached":
        this.#requestedAt = now();
        if (this.#ports.captureContent)
          this.#set({ [names.INPUT_MESSAGES]: messages("user", promptText(event.prompt)) });
        return;
      case "message-started":
        this.#model = event.model;
        return void this.#said.splice(0);
      case "text":
        if (this.#ports.captureContent) this.#said.push(event.text);
        return;
      case "turn-ended":
        return this.#turnEnded(event);
      case "retry":
        this.#failed(event.error.kind);
        this.#attempt = event.attempt;
        this.#requestedAt = now() + event.waitMs;
        return;
      case "call-arrived":
        return void this.#begin(event);
      case "call-queued":
        return this.#call(event).enter(event.state, now());
      case "call-started":
        return this.#call(event).enter("running", now());
      case "agent-event":
        return this.#subAgent(event);
      case "call-settled":
        return this.#settled(event);
      case "ended":
        return this.#ended(event.result);
      case "agent-started":
      case "call-arriving":
      case "call-progress":
      case "call-retried":
      case "compacted":
      case "notice":
      case "permission-judged":
      case "response-ended":
      case "task-ended":
      case "thinking":
        return;
    }
  }

  /** Ends all open spans. */
  end(attributes: Attributes = {}, errorType?: string): void {
    for (const id of this.#calls.keys()) this.#endCall(id, undefined);
    const span = trace.getSpan(this.#context);
    span?.setAttributes(attributes);
    if (errorType !== undefined) {
      span?.setAttribute(names.ERROR_TYPE, errorType);
      span?.setStatus({ code: SpanStatusCode.ERROR });
    }
    span?.end(now());
  }

  /** Uses the turn's own timings, because the event comes only after the last call. */
  #turnEnded({ turn, stop, usage, timings }: Of<"turn-ended">): void {
    const startTime = now() - timings.totalMs;
    const text = this.#said.join("");
    const span = this.#modelSpan(startTime, {
      [names.TURN]: turn,
      [names.FINISH_REASONS]: [stop],
      [names.TIME_TO_FIRST_CHUNK]: timings.firstContentMs / 1000,
      ...usageAttributes(usage),
      ...(this.#ports.captureContent ? { [names.OUTPUT_MESSAGES]: messages("assistant", text, stop) } : {}),
    });
    if (stop === "cut") {
      span.setAttribute(names.ERROR_TYPE, "cut");
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(startTime + timings.responseMs);
    this.#awaitNext();
  }

  #failed(errorType: string): void {
    const span = this.#modelSpan(this.#requestedAt, { [names.ERROR_TYPE]: errorType });
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(now());
  }

  #modelSpan(startTime: number, attributes: Attributes) {
    const model = this.#model;
    const named: Attributes =
      model === undefined ? {} : { [names.REQUEST_MODEL]: model, [names.RESPONSE_MODEL]: model };
    return this.#ports.tracer.startSpan(
      `${names.OPERATIONS.model} ${model ?? ""}`.trimEnd(),
      {
        kind: SpanKind.CLIENT,
        startTime,
        attributes: {
          ...this.#ports.common,
          ...named,
          ...attributes,
          [names.OPERATION]: names.OPERATIONS.model,
          [names.REQUEST_STREAM]: true,
          ...(this.#attempt === 0 ? {} : { [names.ATTEMPT]: this.#attempt }),
        },
      },
      this.#context,
    );
  }

  #awaitNext(): void {
    this.#requestedAt = now();
    this.#attempt = 0;
  }

  #begin({ callId, toolName, input, parentId = "" }: Begun): CallSpan {
    const { tracer, common, captureContent } = this.#ports;
    const attributes: Attributes = {
      ...common,
      [names.TOOL_NAME]: toolName,
      [names.TOOL_TYPE]: "function",
      [names.CALL_ID]: callId,
      ...(captureContent && input !== undefined ? { [names.CALL_ARGUMENTS]: bounded(input) } : {}),
    };
    const parent = this.#calls.get(parentId)?.context ?? this.#context;
    const call = new CallSpan(tracer, parent, { toolName, attributes, at: now() });
    this.#calls.set(callId, call);
    return call;
  }

  /** Creates the span if the listener missed the arrival of the call. */
  #call(event: Omit<Begun, "input">): CallSpan {
    return this.#calls.get(event.callId) ?? this.#begin(event);
  }

  #settled(event: Of<"call-settled">): void {
    const { outcome, output } = event;
    const call = this.#call(event);
    if (this.#ports.captureContent) {
      const result = outcome.type === "succeeded" ? output : outcome;
      call.set({ [names.CALL_RESULT]: bounded(result) });
    }
    this.#endCall(event.callId, outcome);
  }

  #endCall(callId: string, outcome: Outcome | undefined): void {
    const child = this.#children.get(callId);
    // A background agent goes on after its call.
    if (child !== undefined && ![...this.#background.values()].includes(child)) child.end();
    this.#children.delete(callId);
    this.#calls.get(callId)?.end(outcome, now());
    this.#calls.delete(callId);
  }

  #subAgent(event: Of<"agent-event">): void {
    const { callId, agentId, agentType: name } = event;
    let child = this.#background.get(agentId) ?? this.#children.get(callId);
    if (child === undefined) {
      const attributes = { [names.AGENT_NAME]: name, [names.AGENT_ID]: agentId };
      child = new AgentScope(this.#ports, this.#call(event).context, { name, attributes });
      this.#children.set(callId, child);
    }
    const own = event.event;
    if (own.type === "agent-started" && own.isBackground) this.#background.set(agentId, child);
    if (own.type === "ended") this.#background.delete(agentId);
    child.hear(own);
  }

  #ended({ reason, turns, usage, costUsd, text, error }: QueryResult): void {
    if (reason === "model_error") this.#failed(error?.kind ?? "model_error");
    const { captureContent } = this.#ports;
    const attributes: Attributes = {
      [names.END_REASON]: reason,
      [names.TURNS]: turns,
      ...usageAttributes(usage),
      ...(costUsd === undefined ? {} : { [names.COST]: costUsd }),
      ...(captureContent ? { [names.OUTPUT_MESSAGES]: messages("assistant", text, reason) } : {}),
    };
    this.end(attributes, reason === "model_error" ? (error?.kind ?? "model_error") : undefined);
  }

  #set(attributes: Attributes): void {
    trace.getSpan(this.#context)?.setAttributes(attributes);
  }
}

/** The conventions count cached tokens as input. */
function usageAttributes({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: Usage): Attributes {
  return {
    [names.INPUT_TOKENS]: inputTokens + cacheReadTokens + cacheWriteTokens,
    [names.OUTPUT_TOKENS]: outputTokens,
    [names.CACHE_READ_TOKENS]: cacheReadTokens,
    [names.CACHE_WRITE_TOKENS]: cacheWriteTokens,
  };
}

/** Milliseconds since 1970, more precise than `Date` and monotonic. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
