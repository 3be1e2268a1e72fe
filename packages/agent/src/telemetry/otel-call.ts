/** The span of one tool call: from its complete input to its result. */

import {
  type Attributes,
  type Context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Outcome } from "@runahead/engine";
import * as names from "./otel-names.ts";

type Time = keyof typeof names.CALL_TIMES;

const TIME_OF = { waiting: "queue", judging: "permission", asking: "permission", running: "run" } as const;

export class CallSpan {
  /** The parent context for spans of sub-agents, and of calls that it makes. */
  readonly context: Context;
  readonly #times: Record<Time, number> = { queue: 0, permission: 0, run: 0 };
  #time: Time = "queue";
  #since: number;

  constructor(
    tracer: Tracer,
    parent: Context,
    call: { toolName: string; attributes: Attributes; at: number },
  ) {
    const attributes = { ...call.attributes, [names.OPERATION]: names.OPERATIONS.tool };
    const name = `${names.OPERATIONS.tool} ${call.toolName}`;
    const options = { kind: SpanKind.INTERNAL, attributes, startTime: call.at };
    this.context = trace.setSpan(parent, tracer.startSpan(name, options, parent));
    this.#since = call.at;
  }

  enter(state: keyof typeof TIME_OF, at: number): void {
    this.#count(at);
    this.#time = TIME_OF[state];
  }

  set(attributes: Attributes): void {
    trace.getSpan(this.context)?.setAttributes(attributes);
  }

  end(outcome: Outcome | undefined, at: number): void {
    this.#count(at);
    const { word, errorType } = inWords(outcome);
    this.set({
      [names.OUTCOME]: word,
      ...(errorType === undefined ? {} : { [names.ERROR_TYPE]: errorType }),
      ...Object.fromEntries(
        Object.entries(names.CALL_TIMES).map(([time, name]) => [name, this.#times[time as Time]]),
      ),
    });
    const span = trace.getSpan(this.context);
    if (errorType !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end(at);
  }

  #count(at: number): void {
    this.#times[this.#time] += at - this.#since;
    this.#since = at;
  }
}

/** Only words, no messages: they can quote file content. */
function inWords(outcome: Outcome | undefined): { word: string; errorType?: string } {
  switch (outcome?.type) {
    case undefined:
      return { word: "unfinished", errorType: "unfinished" };
    case "succeeded":
      return { word: "succeeded" };
    case "failed":
      return { word: "failed", errorType: outcome.fault };
    case "denied":
      return { word: "denied", errorType: "denied" };
    case "aborted":
      return { word: outcome.effect === "none" ? "not-run" : "stopped", errorType: outcome.cause.kind };
  }
}
