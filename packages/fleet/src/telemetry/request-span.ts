/** The port to telemetry, so that the server works without OpenTelemetry. */

/** A request that a server has received. */
export interface ServedRequest {
  /** Its method, as the client sent it. */
  readonly method: string;
  /** The path of its URL. */
  readonly path: string;
  /** The W3C traceparent of the client; empty if it sent none. */
  readonly traceparent: string;
}

/** The span of a request. */
export interface RequestSpan {
  /** The W3C traceparent of the span; undefined if nothing is recorded. */
  readonly traceparent: string | undefined;
  /** Ends the span. `route` is the path with names instead of values, such as `/v1/sessions/{id}`; undefined if there is none. */
  end(response: { readonly route: string | undefined; readonly status: number }): void;
}

/** Receives the requests of a server; see `serverTelemetry` of `@runahead/fleet/otel`. */
export interface ServeTelemetry {
  /** Begins the span of a request. */
  begin(request: ServedRequest): RequestSpan;
}
