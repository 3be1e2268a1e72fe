/** What the HTTP interface does at each path. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { NoSuchSession, type Prompt } from "@runahead/agent";
import { isSessionId } from "@runahead/agent/internal";
import { shapeOf } from "@runahead/base";
import { type AgentQueue, partsOf } from "../queue/agent-queue.ts";
import { checkPosition } from "../queue/follow.ts";
import { timelinePage } from "../run/timeline.ts";
import type { Caller, Scope } from "./auth.ts";
import { type Body, readBody } from "./body.ts";
import { positionIn, sendEvents } from "./event-stream.ts";
import type { Limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { openApi } from "./openapi.ts";
import { Problem } from "./problem.ts";

interface RouteRequest {
  /** The queue of the caller's tenant. */
  readonly queue: AgentQueue;
  readonly root: AgentQueue;
  readonly caller: Caller | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly trace: string;
  readonly bodyBytes: number;
  /** How long a reader of events can take nothing. */
  readonly slowMs: number;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly closing: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  /** Undefined: no token needed. */
  readonly scope: Scope | undefined;
  /** Resolves with undefined if it has sent the response itself. */
  readonly handle: (request: RouteRequest) => Promise<Reply | undefined>;
}

const MAIL_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** How many sessions are listed by default, and at most. */
const LISTED = 200;
const MOST_LISTED = 1_000;
const VERSION = "1";
/** How long a look at the metrics waits for Redis. */
const LOAD_MS = 2_000;

const json = (status: number, value: object): Reply => ({
  status,
  body: JSON.stringify(value),
  type: "application/json",
});

function route(method: string, path: string, scope: Scope | undefined, handle: Route["handle"]): Route {
  const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
  return { method, path, pattern, scope, handle };
}

const SESSION = "/v1/sessions/{id}";

/** What a process has that only runs agents. */
export const OPERATING_ROUTES: readonly Route[] = [
  route("GET", "/healthz", undefined, async () => ({ status: 200, body: "ok\n", type: "text/plain" })),
  route("GET", "/readyz", undefined, ready),
  route("GET", "/metrics", "metrics", metrics),
];

export const ROUTES: readonly Route[] = [
  ...OPERATING_ROUTES,
  route("GET", "/openapi.json", undefined, async () => json(200, openApi(VERSION))),
  route("GET", "/v1/sessions", "read", async ({ queue, query }) => {
    const listed = await queue.list({ limit: limitIn(query.get("limit")) });
    const sessions = listed.map(({ id, createdAt, updatedAt, firstPrompt, isLocked }) => ({
      id,
      createdAt,
      updatedAt,
      firstPrompt,
      isRunning: isLocked,
    }));
    return json(200, { sessions });
  }),
  route("POST", "/v1/sessions", "write", async (request) => {
    const body = await bodyOf(request);
    const { id = randomUUID() } = body;
    if (!isSessionId(id))
      throw new Problem(400, 'Invalid session id. Use 1 to 64 letters, digits, "-" and "_".');
    await request.queue.start(id, promptIn(body), { trace: request.trace });
    return { ...json(201, { id }), headers: { location: `/v1/sessions/${id}` } };
  }),
  route("GET", SESSION, "read", async (request) => {
    const id = idOf(request);
    return json(200, { id, ...(await request.queue.info(id)) });
  }),
  route("DELETE", SESSION, "write", async (request) => {
    const isDeleted = await partsOf(request.queue).store.delete(idOf(request));
    if (!isDeleted) throw new Problem(404, "There is no session with this id.");
    return { status: 204 };
  }),
  route("POST", `${SESSION}/prompts`, "write", async (request) => {
    const body = await bodyOf(request);
    const { id: mailId } = body;
    if (mailId !== undefined && (typeof mailId !== "string" || !MAIL_ID.test(mailId)))
      throw new Problem(400, 'The id of a prompt must be letters, digits, "-" or "_".');
    const posted = { trace: request.trace, ...(mailId === undefined ? {} : { mailId }) };
    const id = idOf(request);
    await request.queue.send(id, promptIn(body), posted);
    return json(202, { id });
  }),
  route("POST", `${SESSION}/interrupt`, "write", async (request) => {
    const id = idOf(request);
    await request.queue.interrupt(id);
    return json(202, { id });
  }),
  route("GET", `${SESSION}/questions`, "read", async (request) =>
    json(200, { questions: (await request.queue.info(idOf(request))).questions }),
  ),
  route("POST", `${SESSION}/questions/{question}/answer`, "answer", async (request) => {
    const { behavior, message } = await bodyOf(request);
    if (behavior !== "allow" && behavior !== "deny")
      throw new Problem(400, 'The body needs "behavior": "allow" or "deny".');
    const id = idOf(request);
    const { question = "" } = request.parameters;
    const { questions } = await request.queue.info(id);
    if (!questions.some((one) => one.id === question))
      throw new Problem(404, "There is no open question with this id.");
    const by = request.caller?.id ?? "";
    await request.queue.answer(id, question, {
      behavior,
      by,
      ...(typeof message === "string" ? { message } : {}),
    });
    return json(202, { id: question });
  }),
  route("GET", `${SESSION}/events`, "read", events),
  route("GET", `${SESSION}/timeline`, "read", async (request) => {
    const id = idOf(request);
    const { store } = partsOf(request.queue);
    if (!(await store.ends([id])).has(id)) throw new NoSuchSession(id, store.name, []);
    const page = await timelinePage(store, id);
    if (page === undefined) throw new Problem(404, "Nothing was recorded for this session yet.");
    // The page has its own script and nothing else; it can neither load nor send anything.
    const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
    return {
      status: 200,
      body: page,
      type: "text/html; charset=utf-8",
      headers: { "content-security-policy": policy },
    };
  }),
];

async function events(request: RouteRequest): Promise<undefined> {
  const id = idOf(request);
  const from = positionIn(request.request, request.query.get("from"));
  await request.queue.info(id);
  await checkPosition(partsOf(request.queue).store, id, from).catch((error: unknown) => {
    throw error instanceof RangeError ? new Problem(400, error.message) : error;
  });
  const end = request.limits.stream(request.caller?.id ?? "");
  request.metrics.change("event_streams", 1);
  try {
    const { queue, response, closing: signal } = request;
    const isFinite = request.query.get("until") === "now";
    const deltas = request.query.get("deltas") === "true";
    const given = { queue, id, request: request.request, response, from, isFinite, deltas, signal };
    await sendEvents({ ...given, stalledMs: request.slowMs });
  } finally {
    end();
    request.metrics.change("event_streams", -1);
  }
  return undefined;
}

async function ready({ root, closing }: RouteRequest): Promise<Reply> {
  if (closing.aborted) throw new Problem(503, "The server is closing.");
  await root.ready().catch(() => {
    throw new Problem(503, "The store or the queue does not respond.");
  });
  return { status: 200, body: "ready\n", type: "text/plain" };
}

async function metrics({ root, metrics: counted }: RouteRequest): Promise<Reply> {
  // While Redis is away, the counters of this process are needed most.
  const load = await inTime(partsOf(root).dispatcher.load(), LOAD_MS);
  counted.set("sessions_waiting", load?.waiting);
  counted.set("sessions_limited", load?.limited);
  counted.set("sessions_running", load?.running);
  const type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  return { status: 200, body: counted.text(), type };
}

/** Undefined if it fails or takes longer. */
async function inTime<Value>(work: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, limitMs, undefined)));
  const found = await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
  return found;
}

function limitIn(given: string | null): number {
  const limit = Number(given ?? LISTED);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST_LISTED)
    throw new Problem(400, `"limit" must be a whole number from 1 to ${MOST_LISTED}.`);
  return limit;
}

/** Anything else cannot be the id of a session. */
function idOf({ parameters }: RouteRequest): string {
  const { id = "" } = parameters;
  if (!isSessionId(id)) throw new Problem(404, "There is no session with this id.");
  return id;
}

function bodyOf({ request, bodyBytes }: RouteRequest): Promise<Body> {
  return readBody(request, bodyBytes);
}

const PROMPT_WORDS =
  'The body needs "prompt": a text, or an array of blocks { "type": "text", "text": "…" } and ' +
  '{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "…" } }.';
const MEDIA = /^image\/(?:png|jpeg|gif|webp)$/;
/** A loop over groups of four characters would exceed the stack with a text of some megabytes. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What the model's API would refuse is not stored: it would be refused with every later prompt, too. */
function promptIn({ prompt }: Body): Prompt {
  if (typeof prompt === "string" && prompt.trim() !== "") return prompt;
  const blocks = Array.isArray(prompt) ? prompt.map(blockIn) : [];
  if (blocks.length === 0 || blocks.includes(undefined)) throw new Problem(400, PROMPT_WORDS);
  return blocks as Prompt;
}

/** Without members that are not known. Undefined if it is not a block of a prompt. */
function blockIn(value: unknown): object | undefined {
  const { type, text, source } = shapeOf(value);
  if (type === "text") return typeof text === "string" && text.trim() !== "" ? { type, text } : undefined;
  if (type !== "image") return undefined;
  const image = imageIn(shapeOf(source));
  return image === undefined ? undefined : { type, source: image };
}

function imageIn({ type, media_type: media, data, url }: Body): object | undefined {
  if (type === "url")
    return typeof url === "string" && /^https?:/.test(url) && URL.canParse(url) ? { type, url } : undefined;
  const isImage = type === "base64" && typeof media === "string" && MEDIA.test(media);
  if (!isImage || typeof data !== "string" || data.length % 4 !== 0 || !BASE64.test(data)) return undefined;
  return { type, media_type: media, data };
}
