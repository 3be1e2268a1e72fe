/** Reports what an agent does as OpenTelemetry spans. Depends only on `@opentelemetry/api`: without an SDK nothing is recorded. */

import { type Attributes, type Context, ROOT_CONTEXT, type Tracer, context, trace } from "@opentelemetry/api";
import { type Check, aBoolean, aString, anObject, checkOptions } from "@runahead/base";
import type { AgentEvent, QueryResult } from "../loop/event.ts";
import * as names from "./otel-names.ts";
import { AgentScope } from "./otel-scope.ts";

/** Options of {@link telemetry}. */
export interface TelemetryOptions {
  /** Creates the spans. Default: a tracer of the global tracer provider. */
  readonly tracer?: Tracer;
  /** Whether to record prompts, answers, and inputs and outputs of calls. Default: false. */
  readonly captureContent?: boolean;
  /** The name of the agent, for its spans. */
  readonly agentName?: string;
  /** The id of the session. */
  readonly conversationId?: string;
  /** The provider, as named in the conventions: `anthropic`, `openai`, `aws.bedrock`, … */
  readonly provider?: string;
  /**
   * The W3C traceparent of the request that caused the work, such as the `trace` of a run of `@runahead/fleet`: the spans
   * become part of its trace. Default: the active context.
   */
  readonly traceparent?: string;
}

/** Turns events of agents and queries into OpenTelemetry spans. */
export interface Telemetry {
  /** Receives every event of one agent: `createAgent({ onEvent: telemetry().hear })`. */
  readonly hear: (event: AgentEvent) => void;
  /** Passes on the events of a `query`. The spans also end if the reader stops early. */
  traced(
    events: AsyncGenerator<AgentEvent, QueryResult, undefined>,
  ): AsyncGenerator<AgentEvent, QueryResult, undefined>;
  /** Ends open spans. For an agent that will not emit `ended`. */
  close(): void;
}

const OPTIONS: Readonly<Record<keyof TelemetryOptions, Check>> = {
  tracer: anObject,
  captureContent: aBoolean,
  agentName: aString,
  conversationId: aString,
  provider: aString,
  traceparent: aString,
};

/**
 * Reports what agents do as OpenTelemetry spans. Without an OpenTelemetry SDK nothing is recorded.
 *
 * Throws a TypeError for invalid options.
 *
 * @example
 * ```ts
 * import { createAgent, scripted } from "@runahead/agent";
 * import { telemetry } from "@runahead/agent/otel";
 *
 * const { hear } = telemetry({ agentName: "reader" });
 * const agent = createAgent({ model: scripted([]), tools: [], onEvent: hear });
 * ```
 */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  checkOptions(options, OPTIONS, "telemetry");
  const { tracer = trace.getTracer("@runahead/agent"), captureContent = false, agentName = "" } = options;
  const ports = { tracer, captureContent, common: commonAttributes(options) };
  const attributes: Attributes = agentName === "" ? {} : { [names.AGENT_NAME]: agentName };
  const parent = (): Context => parentOf(options.traceparent) ?? context.active();
  const begin = (): AgentScope => new AgentScope(ports, parent(), { name: agentName, attributes });
  const listen = (): Listening => new Listening(begin);
  const own = listen();
  return {
    hear: (event) => own.hear(event),
    close: () => own.close(),
    traced: (events) => traced(events, listen()),
  };
}

/** Undefined if it is not a traceparent. */
function parentOf(traceparent = ""): Context | undefined {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function commonAttributes({ conversationId, provider }: TelemetryOptions): Attributes {
  return {
    ...(conversationId === undefined ? {} : { [names.CONVERSATION_ID]: conversationId }),
    ...(provider === undefined ? {} : { [names.PROVIDER]: provider }),
  };
}

/** One span per answer: the first event starts it, `ended` ends it. */
class Listening {
  readonly #begin: () => AgentScope;
  #scope: AgentScope | undefined;

  constructor(begin: () => AgentScope) {
    this.#begin = begin;
  }

  hear(event: AgentEvent): void {
    this.#scope ??= this.#begin();
    this.#scope.hear(event);
    if (event.type === "ended") this.#scope = undefined;
  }

  begin(): void {
    this.#scope ??= this.#begin();
  }

  close(): void {
    this.#scope?.end({ [names.END_REASON]: "left" });
    this.#scope = undefined;
  }
}

async function* traced(
  events: AsyncGenerator<AgentEvent, QueryResult, undefined>,
  listening: Listening,
): AsyncGenerator<AgentEvent, QueryResult, undefined> {
  listening.begin();
  try {
    for (let next = await events.next(); ; next = await events.next()) {
      if (next.done === true) return next.value;
      listening.hear(next.value);
      yield next.value;
    }
  } finally {
    await events.return(undefined as never);
    listening.close();
  }
}
