/** Serves a queue of agents over HTTP, with server-sent events. */

import { randomBytes, randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Check,
  aFunction,
  aPositiveNumber,
  aString,
  anArray,
  anObject,
  checkOptions,
  messageOf,
  oneOf,
  required,
  strings,
  withOptions,
  aNumberFromZero,
} from "@runahead/base";
import { type AgentQueue, partsOf } from "../queue/agent-queue.ts";
import { type Caller, Origins, type Scope, type ServeToken, Tokens } from "./auth.ts";
import { Limits } from "./limits.ts";
import { type FleetMetrics, type Metrics, metricsOf } from "./metrics.ts";
import { Problem, problemBody, problemOf } from "./problem.ts";
import { OPERATING_ROUTES, type Reply, type Route, ROUTES } from "./routes.ts";
import type { RequestSpan, ServeTelemetry } from "../telemetry/request-span.ts";

/** Limits of {@link serveAgents}. */
export interface ServeLimits {
  /** Requests of a token per minute. Default: 600. */
  readonly perMinute?: number;
  /** Event streams of a token that are open at a time. Default: 100. */
  readonly streams?: number;
  /** The largest body of a request, in bytes. Default: 1,000,000. */
  readonly bodyBytes?: number;
  /** How long a client can take to send a request, and a reader of events can take nothing, in milliseconds. Default: 30,000. */
  readonly slowMs?: number;
  /** Connections that are open at a time, of all clients together. Default: 10,000. */
  readonly connections?: number;
}

/** One line of the log. */
export interface ServeLog {
  /** When, in ISO 8601. */
  readonly time: string;
  /** How important it is. */
  readonly level: "info" | "warn" | "error";
  /** What happened. */
  readonly message: string;
  /** More about it. */
  readonly [name: string]: unknown;
}

/** Options of {@link serveAgents}. */
export interface ServeOptions {
  /** The queue that it serves. */
  readonly queue: AgentQueue;
  /** Who can use it. At least one. */
  readonly tokens: readonly ServeToken[];
  /** The address to listen on. Default: `127.0.0.1`. */
  readonly host?: string;
  /** The port. Default: 0, a free one. */
  readonly port?: number;
  /** The names that clients use for this server. Default: the address, and the names of this machine's loopback. */
  readonly allowedHosts?: readonly string[];
  /** The origins of web pages that can use it, such as `https://app.example.com`. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** `operating`: only health, readiness and metrics, for a process that only runs agents. Default: `all`. */
  readonly paths?: "all" | "operating";
  /** Limits of requests. */
  readonly limits?: ServeLimits;
  /** Receives the log. Default: nothing is logged. */
  readonly log?: (line: ServeLog) => void;
  /** What `/metrics` shows; give the worker of this process the same. Default: requests only. */
  readonly metrics?: FleetMetrics;
  /** Reports requests as spans: `serverTelemetry()` of `@runahead/fleet/otel`. Default: nothing is reported. */
  readonly telemetry?: ServeTelemetry;
}

/** A server that listens. */
export interface AgentServer {
  /** Its address, such as `http://127.0.0.1:7070`. */
  readonly url: string;
  /** Ends the event streams, finishes requests, and closes the server. */
  close(): Promise<void>;
}

const LIMITS: Readonly<Record<keyof ServeLimits, Check>> = {
  perMinute: aPositiveNumber,
  streams: aPositiveNumber,
  bodyBytes: aPositiveNumber,
  slowMs: aPositiveNumber,
  connections: aPositiveNumber,
};
const OPTIONS: Readonly<Record<keyof ServeOptions, Check>> = {
  queue: required(anObject),
  tokens: required(anArray),
  host: aString,
  port: aNumberFromZero,
  allowedHosts: strings,
  allowedOrigins: strings,
  paths: oneOf("all", "operating"),
  limits: withOptions(LIMITS),
  log: aFunction,
  metrics: anObject,
  telemetry: anObject,
};
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];
const TRACE = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** The route of a request for a path that does not exist. */
const UNKNOWN = "unknown";
const SLOW_MS = 30_000;
const CONNECTIONS = 10_000;
/** How long a server that closes waits for requests that are not finished. */
const CLOSE_MS = 5_000;

/**
 * Serves a queue of agents over HTTP. `GET /openapi.json` describes the interface.
 *
 * Throws a TypeError for invalid options. Rejects if it cannot listen.
 *
 * @example
 * ```ts
 * import { fileStore } from "@runahead/agent";
 * import { createAgentQueue, serveAgents } from "@runahead/fleet";
 *
 * const queue = createAgentQueue({ store: fileStore({ home: "/tmp/serve-agents" }) });
 * const server = await serveAgents({ queue, tokens: [{ token: "a-long-secret-token" }] });
 * const response = await fetch(`${server.url}/healthz`);
 * console.log(response.status); // 200
 * await server.close();
 * await queue.close();
 * ```
 */
export async function serveAgents(options: ServeOptions): Promise<AgentServer> {
  checkOptions(options, OPTIONS, "serveAgents");
  if (options.tokens.length === 0) throw new TypeError('serveAgents: "tokens" must have at least one token.');
  partsOf(options.queue);
  const server = new HttpServer(options);
  return server.listen();
}

class HttpServer {
  readonly #options: ServeOptions;
  readonly #tokens: Tokens;
  readonly #limits: Limits;
  readonly #bodyBytes: number;
  readonly #slowMs: number;
  readonly #metrics: Metrics;
  readonly #routes: readonly Route[];
  readonly #closing = new AbortController();
  readonly #server: Server;
  #origins = new Origins([], []);

  constructor(options: ServeOptions) {
    const { tokens, limits = {}, metrics } = options;
    const { perMinute = 600, streams = 100, bodyBytes = 1_000_000 } = limits;
    const { slowMs = SLOW_MS, connections = CONNECTIONS } = limits;
    this.#options = options;
    this.#tokens = new Tokens(tokens);
    this.#limits = new Limits({ perMinute, streams });
    this.#bodyBytes = bodyBytes;
    this.#slowMs = slowMs;
    this.#metrics = metricsOf(metrics);
    this.#routes = options.paths === "operating" ? OPERATING_ROUTES : ROUTES;
    this.#server = createServer(
      { requestTimeout: slowMs, headersTimeout: slowMs, connectionsCheckingInterval: slowMs / 6 },
      (request, response) => {
        void this.#handle(request, response);
      },
    );
    this.#server.maxConnections = connections;
  }

  async listen(): Promise<AgentServer> {
    const { host = "127.0.0.1", port = 0 } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    const { port: actual } = this.#server.address() as AddressInfo;
    const shown = host.includes(":") ? `[${host}]` : host;
    const url = `http://${shown}:${actual}`;
    const { allowedHosts = [shown, ...LOOPBACK], allowedOrigins = [] } = this.#options;
    this.#origins = new Origins(allowedHosts, [url, ...allowedOrigins]);
    return { url, close: () => this.#close() };
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    // A client that neither finishes its request nor reads its response does not keep the process.
    const timer = setTimeout(() => this.#server.closeAllConnections(), Math.min(CLOSE_MS, this.#slowMs));
    await closed;
    clearTimeout(timer);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now();
    const span = this.#spanOf(request);
    const about: Facts = {
      request: randomUUID(),
      trace: span?.traceparent ?? traceOf(request),
      route: UNKNOWN,
      caller: undefined,
    };
    response.setHeader("x-request-id", about.request);
    response.setHeader("x-content-type-options", "nosniff");
    try {
      await this.#respond(request, response, about);
    } catch (error) {
      this.#fail(response, error, about);
    }
    const status = response.statusCode;
    span?.end({ route: about.route === UNKNOWN ? undefined : about.route, status });
    this.#metrics.count("http_requests", { route: about.route, status: String(status) });
    this.#log(status >= 500 ? "error" : "info", "request", {
      ...about,
      caller: about.caller?.id,
      tenant: about.caller?.tenant,
      method: request.method,
      status,
      ms: Math.round(performance.now() - begun),
    });
  }

  #spanOf(request: IncomingMessage): RequestSpan | undefined {
    const { method = "GET", url = "/" } = request;
    const [path = "/"] = url.split("?");
    return this.#options.telemetry?.begin({ method, path, traceparent: givenTrace(request) ?? "" });
  }

  async #respond(request: IncomingMessage, response: ServerResponse, about: Facts): Promise<void> {
    const origin = this.#origins.check(request);
    if (origin !== undefined) allowOrigin(response, origin);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    const url = urlOf(request);
    const { route, parameters } = routeOf(this.#routes, request.method ?? "GET", url.pathname);
    about.route = route.path;
    const caller = route.scope === undefined ? undefined : this.#callerOf(request, route.scope, about);
    const reply = await route.handle({
      queue: this.#options.queue.forTenant(caller?.tenant ?? "default"),
      root: this.#options.queue,
      caller,
      parameters,
      query: url.searchParams,
      request,
      response,
      trace: about.trace,
      bodyBytes: this.#bodyBytes,
      slowMs: this.#slowMs,
      limits: this.#limits,
      metrics: this.#metrics,
      closing: this.#closing.signal,
    });
    if (reply !== undefined) send(response, reply);
  }

  #callerOf(request: IncomingMessage, scope: Scope, about: Facts): Caller {
    const caller = this.#tokens.callerOf(request, scope);
    about.caller = caller;
    this.#limits.request(caller.id);
    return caller;
  }

  #fail(response: ServerResponse, error: unknown, about: Facts): void {
    const problem = problemOf(error);
    if (problem.status >= 500) this.#log("error", messageOf(error), { request: about.request });
    if (response.headersSent) return void response.destroy();
    const headers = { "content-type": "application/problem+json", ...problem.headers };
    response.writeHead(problem.status, headers).end(problemBody(problem));
  }

  #log(level: ServeLog["level"], message: string, more: object): void {
    this.#options.log?.({ time: new Date().toISOString(), level, message, ...more });
  }
}

interface Facts {
  readonly request: string;
  readonly trace: string;
  route: string;
  caller: Caller | undefined;
}

/** A request without a trace begins one, so that logs and spans of all processes can be found by it. */
function traceOf(request: IncomingMessage): string {
  return givenTrace(request) ?? `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
}

function givenTrace({ headers }: IncomingMessage): string | undefined {
  const given = headers["traceparent"];
  return typeof given === "string" && TRACE.test(given) ? given : undefined;
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader(
    "access-control-allow-headers",
    "authorization, content-type, last-event-id, traceparent",
  );
  response.setHeader("access-control-allow-methods", "GET, POST, DELETE");
  response.setHeader("vary", "origin");
}

function urlOf({ url = "/" }: IncomingMessage): URL {
  // Two slashes at the beginning would be read as the name of a host.
  if (!url.startsWith("/") || url.startsWith("//") || !URL.canParse(url, "http://localhost"))
    throw new Problem(404, "There is nothing at this path. See /openapi.json.");
  return new URL(url, "http://localhost");
}

function routeOf(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; parameters: Readonly<Record<string, string>> } {
  const matching = routes.flatMap((route) => {
    const match = route.pattern.exec(path);
    return match === null ? [] : [{ route, parameters: decoded(match.groups ?? {}) }];
  });
  const found = matching.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  if (matching.length === 0) throw new Problem(404, "There is nothing at this path. See /openapi.json.");
  const allow = matching.map(({ route }) => route.method).join(", ");
  throw new Problem(405, `This path has: ${allow}.`, { allow });
}

/** The ids of questions contain those of calls, which can have any characters. */
function decoded(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    const entries = Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]);
    return Object.fromEntries(entries) as Record<string, string>;
  } catch {
    throw new Problem(400, "The path is not encoded correctly.");
  }
}

function send(response: ServerResponse, { status, body, type, headers = {} }: Reply): void {
  response.writeHead(status, {
    ...(type === undefined ? {} : { "content-type": type }),
    "cache-control": "no-store",
    ...headers,
  });
  response.end(body);
}
