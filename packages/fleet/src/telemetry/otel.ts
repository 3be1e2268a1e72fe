/** Reports the requests of a server as OpenTelemetry spans. Depends only on `@opentelemetry/api`: without an SDK nothing is recorded. */

import {
  type Attributes,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  isSpanContextValid,
  trace,
} from "@opentelemetry/api";
import { type Check, anObject, checkOptions } from "@runahead/base";
import type { RequestSpan, ServeTelemetry, ServedRequest } from "./request-span.ts";

export { type Telemetry, type TelemetryOptions, telemetry } from "@runahead/agent/otel";

/** Options of {@link serverTelemetry}. */
export interface ServerTelemetryOptions {
  /** Creates the spans. Default: a tracer of the global tracer provider. */
  readonly tracer?: Tracer;
}

const OPTIONS: Readonly<Record<keyof ServerTelemetryOptions, Check>> = { tracer: anObject };
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]);
const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Reports every request of a server as an OpenTelemetry span, named and described by the semantic conventions for HTTP. The
 * span is the parent of the run that the request causes. Without an OpenTelemetry SDK nothing is recorded.
 *
 * Throws a TypeError for invalid options.
 *
 * @example
 * ```ts
 * import { fileStore } from "@runahead/agent";
 * import { createAgentQueue, serveAgents } from "@runahead/fleet";
 * import { serverTelemetry } from "@runahead/fleet/otel";
 *
 * const queue = createAgentQueue({ store: fileStore({ home: "/tmp/traced-agents" }) });
 * const tokens = [{ token: "a-long-secret-token" }];
 * const server = await serveAgents({ queue, tokens, telemetry: serverTelemetry() });
 * await server.close();
 * await queue.close();
 * ```
 */
export function serverTelemetry(options: ServerTelemetryOptions = {}): ServeTelemetry {
  checkOptions(options, OPTIONS, "serverTelemetry");
  const { tracer = trace.getTracer("@runahead/fleet") } = options;
  return { begin: (request) => begin(tracer, request) };
}

function begin(tracer: Tracer, { method: given, path, traceparent }: ServedRequest): RequestSpan {
  const method = METHODS.has(given) ? given : "_OTHER";
  const attributes: Attributes = {
    "http.request.method": method,
    "url.path": path,
    "url.scheme": "http",
    ...(method === given ? {} : { "http.request.method_original": given }),
  };
  const name = method === given ? method : "HTTP";
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentOf(traceparent));
  const { traceId, spanId, traceFlags } = span.spanContext();
  const flags = traceFlags.toString(16).padStart(2, "0");
  return {
    traceparent: isSpanContextValid(span.spanContext()) ? `00-${traceId}-${spanId}-${flags}` : undefined,
    end({ route, status }) {
      if (route !== undefined) span.updateName(`${name} ${route}`).setAttribute("http.route", route);
      span.setAttribute("http.response.status_code", status);
      if (status >= 500) {
        span.setAttribute("error.type", String(status));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function parentOf(traceparent: string) {
  const [, traceId = "", spanId = "", flags = "00"] = PARENT.exec(traceparent) ?? [];
  if (traceId === "") return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
