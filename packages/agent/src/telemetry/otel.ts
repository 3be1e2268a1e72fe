/** What an agent does, as OpenTelemetry spans. Only `@opentelemetry/api` is used: without an SDK nothing is recorded. */

import { type Attributes, type Tracer, context, trace } from "@opentelemetry/api";
import { type Check, aBoolean, aString, anObject, checkOptions } from "@runahead/base";
import type { AgentEvent, QueryResult } from "../loop/event.ts";
import * as names from "./otel-names.ts";
import { AgentScope } from "./otel-scope.ts";

export interface TelemetryOptions {
  /** The global tracer provider's where absent. */
  readonly tracer?: Tracer;
  /** Prompts, answers, inputs and outputs of calls as attributes, too. */
  readonly captureContent?: boolean;
  readonly agentName?: string;
  /** The id of the session. */
  readonly conversationId?: string;
  /** In the conventions' words: `anthropic`, `openai`, `aws.bedrock`, … */
  readonly provider?: string;
}

export interface Telemetry {
  /** Every event of one agent, as it comes: `createAgent({ onEvent: telemetry.hear })`. */
  readonly hear: (event: AgentEvent) => void;
  /** The events of a `query`, heard on their way. */
  traced(
    events: AsyncGenerator<AgentEvent, QueryResult, undefined>,
  ): AsyncGenerator<AgentEvent, QueryResult, undefined>;
  /** Ends what is open: for an agent whose last event will not come. */
  close(): void;
}

const OPTIONS: Readonly<Record<keyof TelemetryOptions, Check>> = {
  tracer: anObject,
  captureContent: aBoolean,
  agentName: aString,
  conversationId: aString,
  provider: aString,
};

export function telemetry(options: TelemetryOptions = {}): Telemetry {
  checkOptions(options, OPTIONS, "telemetry");
  const { tracer = trace.getTracer("@runahead/agent"), captureContent = false, agentName = "" } = options;
  const ports = { tracer, captureContent, common: commonAttributes(options) };
  const attributes: Attributes = agentName === "" ? {} : { [names.AGENT_NAME]: agentName };
  const begin = (): AgentScope => new AgentScope(ports, context.active(), { name: agentName, attributes });
  const listen = (): Listening => new Listening(begin);
  const own = listen();
  return {
    hear: (event) => own.hear(event),
    close: () => own.close(),
    traced: (events) => traced(events, listen()),
  };
}

function commonAttributes({ conversationId, provider }: TelemetryOptions): Attributes {
  return {
    ...(conversationId === undefined ? {} : { [names.CONVERSATION_ID]: conversationId }),
    ...(provider === undefined ? {} : { [names.PROVIDER]: provider }),
  };
}

/** One answer after the other: the first event begins its span, `ended` ends it. */
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
