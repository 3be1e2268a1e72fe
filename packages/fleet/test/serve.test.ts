import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "@runahead/engine";
import { type Block, type ModelRequest, fileStore, scripted } from "@runahead/agent";
import {
  type AgentQueue,
  type AgentServer,
  type AgentWorker,
  type ServeLog,
  createAgentQueue,
  createFleetMetrics,
  serveAgents,
  startAgentWorker,
} from "../src/index.ts";

const TOKENS = {
  alice: "alice-0123456789abcdef",
  bob: "bob-0123456789abcdef00",
  reader: "reader-0123456789abcde",
  metrics: "metrics-0123456789abcd",
  busy: "busy-0123456789abcdef0",
};
/** A busy machine is not a failure. */
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 50_000 });

let home: string;
let queue: AgentQueue;
let server: AgentServer;
let worker: AgentWorker;
const log: ServeLog[] = [];
const contexts: unknown[] = [];

const say = defineTool({
  name: "Say",
  description: "Says a text.",
  inputSchema: z.object({ text: z.string() }),
  call({ text }, { context }) {
    contexts.push(context);
    return text;
  },
});

/** Calls the tool if the prompt says so, and answers with the number of messages otherwise. */
function turn({ messages }: ModelRequest): readonly Block[] {
  const last = messages.at(-1)?.content;
  if (typeof last === "string" && last.startsWith("call "))
    return [{ type: "tool_use", id: `c${messages.length}`, name: "Say", input: { text: last } }];
  return [{ type: "text", text: `answer ${messages.length}` }];
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "fleet-serve-"));
  queue = createAgentQueue({ store: fileStore({ home }) });
  const metrics = createFleetMetrics();
  worker = await startAgentWorker({
    queue,
    sweepMs: 100,
    onEvent: metrics.onEvent,
    onRunEnded: metrics.onRunEnded,
    agent: () => ({
      model: scripted(Array.from({ length: 20 }, () => turn)),
      tools: [say],
      canUseTool: (_tool, input) =>
        (input as { text: string }).text.includes("ask")
          ? { behavior: "ask", reason: "it says ask" }
          : { behavior: "allow" },
    }),
  });
  server = await serveAgents({
    queue,
    metrics,
    log: (line) => log.push(line),
    allowedOrigins: ["https://app.example.com"],
    limits: { perMinute: 1_000, streams: 2, bodyBytes: 10_000 },
    tokens: [
      { token: TOKENS.alice, tenant: "alice" },
      { sha256: createHash("sha256").update(TOKENS.bob).digest("hex"), tenant: "bob" },
      { token: TOKENS.reader, tenant: "alice", scopes: ["read"] },
      { token: TOKENS.metrics, scopes: ["metrics"] },
    ],
  });
});
afterAll(async () => {
  await server.close();
  await worker.drain();
  await queue.close();
  await rm(home, { recursive: true, force: true });
});

interface Sent {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(method: string, path: string, { token = TOKENS.alice, body, headers = {} }: Sent = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as never) : undefined,
  };
}

interface Heard {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly [name: string]: unknown };
}

/** Reads events until one is wanted, and then leaves. */
async function listen(id: string, wanted: (heard: Heard) => boolean, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/v1/sessions/${id}/events`, {
    headers: { authorization: `Bearer ${TOKENS.alice}`, ...headers },
  });
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const heard: Heard[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const parts = `${text}${decoder.decode(chunk, { stream: true })}`.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s, 2)));
      if (fields["data"] === undefined) continue;
      const one = { id: fields["id"], event: fields["event"], data: JSON.parse(fields["data"]) } as Heard;
      heard.push(one);
      if (wanted(one)) return heard;
    }
  }
  throw new Error("the stream ended");
}

const hasEnded = ({ event, data }: Heard): boolean =>
  event === "state" &&
  data["name"] === "fleet:run" &&
  (data["data"] as { status: string }).status === "ended";

test("a session is created, streamed, continued from the last event, and listed", async () => {
  const created = await send("POST", "/v1/sessions", { body: { id: "one", prompt: "Hello." } });
  expect([created.status, created.json]).toEqual([201, { id: "one" }]);
  const heard = await listen("one", hasEnded);
  expect(heard.map(({ event }) => event)).toContain("turn-ended");
  const half = heard[Math.floor(heard.length / 2)] as Heard;
  const rest = await listen("one", hasEnded, { "last-event-id": half.id });
  expect(rest).toEqual(heard.slice(heard.indexOf(half) + 1));
  const finite = await send("GET", `/v1/sessions/one/events?until=now&from=${half.id}`);
  expect(finite.text).toContain(`id: ${heard.at(-1)?.id}\n`);
  expect((await send("GET", "/v1/sessions/one")).json).toMatchObject({
    status: "ended",
    run: { text: "answer 1" },
  });
  expect((await send("POST", "/v1/sessions/one/prompts", { body: { prompt: "More." } })).status).toBe(202);
  await listen("one", hasEnded, { "last-event-id": heard.at(-1)?.id ?? "" });
  expect((await send("GET", "/v1/sessions")).json).toMatchObject({
    sessions: [{ id: "one", firstPrompt: "Hello." }],
  });
  const page = await send("GET", "/v1/sessions/one/timeline");
  expect([page.status, page.text.slice(0, 15).toLowerCase()]).toEqual([200, "<!doctype html>"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
});

test("a question is listed and answered, and the trace of the request reaches the call", async () => {
  const trace = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
  await send("POST", "/v1/sessions", {
    body: { id: "asks", prompt: "call ask" },
    headers: { traceparent: trace },
  });
  await eventually(async () => (await send("GET", "/v1/sessions/asks")).json).toMatchObject({
    status: "waiting",
  });
  const { questions } = (await send("GET", "/v1/sessions/asks/questions")).json as unknown as {
    questions: { id: string; toolName: string }[];
  };
  expect(questions).toMatchObject([{ toolName: "Say", input: { text: "call ask" }, reason: "it says ask" }]);
  const path = `/v1/sessions/asks/questions/${questions[0]?.id}/answer`;
  expect((await send("POST", path, { body: { behavior: "allow" }, token: TOKENS.reader })).status).toBe(403);
  expect((await send("POST", path, { body: { behavior: "perhaps" } })).status).toBe(400);
  expect((await send("POST", path, { body: { behavior: "allow" } })).status).toBe(202);
  await listen("asks", hasEnded);
  expect(contexts).toEqual([
    expect.objectContaining({ traceparent: expect.stringContaining("ab".repeat(16)) as string }),
  ]);
  expect((await send("POST", path, { body: { behavior: "allow" } })).status).toBe(404);
  expect((await send("POST", "/v1/sessions/asks/interrupt")).status).toBe(202);
});

test("tenants do not see each other's sessions", async () => {
  await send("POST", "/v1/sessions", { body: { id: "secret", prompt: "Hello." } });
  await listen("secret", hasEnded);
  const paths = ["", "/events", "/questions", "/timeline"].map((path) => `/v1/sessions/secret${path}`);
  for (const path of paths)
    expect([path, (await send("GET", path, { token: TOKENS.bob })).status]).toEqual([path, 404]);
  for (const path of ["/prompts", "/interrupt", "/questions/q/answer"])
    expect(
      (
        await send("POST", `/v1/sessions/secret${path}`, {
          token: TOKENS.bob,
          body: { prompt: "Hi", behavior: "allow" },
        })
      ).status,
    ).toBe(404);
  expect((await send("DELETE", "/v1/sessions/secret", { token: TOKENS.bob })).status).toBe(404);
  expect((await send("GET", "/v1/sessions", { token: TOKENS.bob })).json).toEqual({ sessions: [] });
  expect(
    (await send("POST", "/v1/sessions", { token: TOKENS.bob, body: { id: "secret", prompt: "Mine." } }))
      .status,
  ).toBe(201);
  await eventually(async () => (await send("DELETE", "/v1/sessions/secret")).status).toBe(204);
  expect((await send("GET", "/v1/sessions/secret")).status).toBe(404);
});

test("a request without a valid token, scope, host or origin is refused", async () => {
  expect((await send("GET", "/v1/sessions", { token: "" })).status).toBe(401);
  expect((await send("GET", "/v1/sessions", { token: "wrong-0123456789" })).status).toBe(401);
  expect((await send("POST", "/v1/sessions", { token: TOKENS.reader, body: { prompt: "Hi" } })).status).toBe(
    403,
  );
  expect((await send("GET", "/metrics")).status).toBe(403);
  expect((await send("GET", "/v1/sessions", { headers: { origin: "https://evil.example" } })).status).toBe(
    403,
  );
  const allowed = await send("GET", "/v1/sessions", { headers: { origin: "https://app.example.com" } });
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
  const { port } = new URL(server.url);
  const status = await new Promise((resolve, reject) => {
    const headers = { host: "evil.example", authorization: `Bearer ${TOKENS.alice}` };
    httpRequest({ port, host: "127.0.0.1", path: "/v1/sessions", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
  expect(status).toBe(421);
});

test("invalid requests are refused with a reason", async () => {
  const post = (body: unknown, headers?: Record<string, string>) =>
    send("POST", "/v1/sessions", headers === undefined ? { body } : { body, headers });
  expect((await post({})).json).toMatchObject({
    status: 400,
    detail: expect.stringContaining('"prompt"') as string,
  });
  expect((await post({ prompt: [{ type: "tool_result" }] })).status).toBe(400);
  expect((await post({ id: "../x", prompt: "Hi" })).status).toBe(400);
  expect((await post("{")).status).toBe(400);
  expect((await post({ prompt: "Hi" }, { "content-type": "text/plain" })).status).toBe(415);
  expect((await post({ prompt: "x".repeat(20_000) })).status).toBe(413);
  expect((await post({ id: "one", prompt: "Again" })).status).toBe(409);
  expect((await send("GET", "/v1/sessions/%2e%2e%2fx")).status).toBe(404);
  expect((await send("PUT", "/v1/sessions")).status).toBe(405);
  expect((await send("GET", "/nothing")).status).toBe(404);
  expect((await send("GET", "/v1/sessions/one/events?from=-1")).status).toBe(400);
  expect((await send("GET", "/v1/sessions/one/events?from=99999999")).json).toMatchObject({
    status: 400,
    detail: expect.stringContaining("after the end") as string,
  });
});

test("health, readiness, metrics, log and the OpenAPI document", async () => {
  expect((await send("GET", "/healthz", { token: "" })).status).toBe(200);
  expect((await send("GET", "/readyz", { token: "" })).status).toBe(200);
  const metrics = await send("GET", "/metrics", { token: TOKENS.metrics });
  expect(metrics.headers.get("content-type")).toMatch(/^application\/openmetrics-text/);
  expect(metrics.text).toMatch(/^runahead_turns_total [1-9]/m);
  expect(metrics.text).toMatch(/^runahead_runs_total\{end="done"\} [1-9]/m);
  expect(metrics.text).toMatch(/^runahead_http_requests_total\{route="\/v1\/sessions",status="201"\} [1-9]/m);
  expect(metrics.text.endsWith("# EOF\n")).toBe(true);
  const { paths } = (await send("GET", "/openapi.json", { token: "" })).json as unknown as { paths: object };
  const { ROUTES } = await import("../src/serve/routes.ts");
  for (const { path, method } of ROUTES)
    expect([path, Object.keys((paths as Record<string, object>)[path] ?? {})]).toEqual([
      path,
      expect.arrayContaining([method.toLowerCase()]),
    ]);
  const line = log.find(({ route, method }) => route === "/v1/sessions" && method === "POST");
  expect(line).toMatchObject({ level: "info", message: "request", tenant: "alice", status: 201 });
  expect(JSON.stringify(log)).not.toContain(TOKENS.alice);
});

test("a process that only runs agents has health, readiness and metrics, and nothing else", async () => {
  const token = "operating-0123456789";
  const tokens = [{ token, scopes: ["read", "write", "answer", "metrics"] as const }];
  const operating = await serveAgents({ queue, tokens, paths: "operating" });
  const statusOf = async (path: string) =>
    (await fetch(`${operating.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  for (const path of ["/healthz", "/readyz", "/metrics"])
    expect([path, await statusOf(path)]).toEqual([path, 200]);
  for (const path of ["/v1/sessions", "/v1/sessions/one", "/openapi.json"])
    expect([path, await statusOf(path)]).toEqual([path, 404]);
  await operating.close();
});

test("the number of requests and of event streams is limited", async () => {
  const limited = await serveAgents({
    queue,
    tokens: [{ token: TOKENS.busy }],
    limits: { perMinute: 3, streams: 1 },
  });
  const get = (): Promise<Response> =>
    fetch(`${limited.url}/v1/sessions`, { headers: { authorization: `Bearer ${TOKENS.busy}` } });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) statuses.push((await get()).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refused = await get();
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await limited.close();
});

test("invalid options are reported", async () => {
  await expect(serveAgents({ queue, tokens: [] })).rejects.toThrow(/at least one token/);
  await expect(serveAgents({ queue, tokens: [{ token: "short" }] })).rejects.toThrow(
    /at least 16 characters/,
  );
  await expect(
    serveAgents({ queue, tokens: [{ token: TOKENS.bob, scopes: ["root" as never] }] }),
  ).rejects.toThrow(/one of read, write, answer, metrics/);
});

test("session ids in paths cannot reach anything else, and ids of questions can have any characters", async () => {
  await send("POST", "/v1/sessions", { body: { id: "mine", prompt: "Hello." } });
  const paths = [
    "..%2Fmine",
    "%2e%2e%2fmine",
    "mine%00",
    "mine%2F..%2Fother",
    "tenants%2Fbob%2Fmine",
    "..;%2Fmine",
    "mine%0d%0aX-Evil:%201",
    "%c0%ae%c0%ae%2fmine",
    "m".repeat(70),
  ];
  for (const path of paths)
    for (const end of ["", "/events?until=now", "/questions", "/timeline"])
      expect([path, [400, 404].includes((await send("GET", `/v1/sessions/${path}${end}`)).status)]).toEqual([
        path,
        true,
      ]);
  for (const id of ["../up", "a/b", "a\u0000", ".hidden", "", "x".repeat(65), 5, { id: "x" }, ["x"]])
    expect((await send("POST", "/v1/sessions", { body: { id, prompt: "Hi" } })).status).toBe(400);
  const answer = { body: { behavior: "allow" } };
  const question = encodeURIComponent("1-functions.Bash:0/../x?y#z");
  expect((await send("POST", `/v1/sessions/mine/questions/${question}/answer`, answer)).status).toBe(404);
  expect((await send("POST", "/v1/sessions/mine/questions/%ff/answer", answer)).status).toBe(400);
});

test("a session is created once, also by requests at the same moment", async () => {
  const body = { id: "once", prompt: "Hello." };
  const sent = await Promise.all(Array.from({ length: 5 }, () => send("POST", "/v1/sessions", { body })));
  expect(sent.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409", "409", "409", "409"]);
});
