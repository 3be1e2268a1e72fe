import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileStore } from "@runahead/agent";
import {
  type AgentQueue,
  type AgentServer,
  type ServeOptions,
  createAgentQueue,
  createFleetMetrics,
  serveAgents,
} from "../src/index.ts";
import { ROUTES } from "../src/serve/routes.ts";

const TOKEN = "alice-0123456789abcdef";
const METRICS = "metrics-0123456789abcd";
const AUTHORIZED = `Authorization: Bearer ${TOKEN}\r\n`;

let home: string;
let queue: AgentQueue;
const servers: AgentServer[] = [];
const sockets: Socket[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "fleet-attacks-"));
  queue = createAgentQueue({ store: fileStore({ home }) });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.close();
  await queue.close();
  await rm(home, { recursive: true, force: true });
});

async function serve(limits: ServeOptions["limits"] = {}): Promise<AgentServer> {
  const tokens = [{ token: TOKEN }, { token: METRICS, scopes: ["metrics"] as const }];
  const server = await serveAgents({ queue, limits, tokens, metrics: createFleetMetrics() });
  servers.push(server);
  return server;
}

const get = (server: AgentServer, path: string, token = TOKEN): Promise<Response> =>
  fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

interface Raw {
  readonly socket: Socket;
  /** What the server has sent. */
  readonly text: () => string;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** A client that sends exactly these bytes. */
async function raw(server: AgentServer, text: string): Promise<Raw> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), "127.0.0.1");
  sockets.push(socket);
  let received = "";
  socket.on("data", (bytes) => void (received += bytes.toString()));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(text);
  return { socket, text: () => received, closed };
}

test("class slowloris: a client that does not finish its request is disconnected, others are served", async () => {
  const server = await serve({ slowMs: 600 });
  const slow = await Promise.all([
    raw(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-One: 1\r\n"),
    raw(
      server,
      `POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ),
  ]);
  expect((await get(server, "/healthz")).status).toBe(200);
  await Promise.all(slow.map(({ closed }) => closed));
  for (const { text } of slow) expect(text()).not.toContain(" 20");
});

test("class slow readers: a reader of events that takes nothing is disconnected, and does not hold the server", async () => {
  const server = await serve({ slowMs: 600, streams: 1 });
  await queue.start("big", "x".repeat(200));
  const lease = await fileStore({ home }).lease("big");
  const line = JSON.stringify({ type: "note", text: "x".repeat(500_000) });
  const end = await lease.append({ at: lease.end, lines: Array.from({ length: 40 }, () => line) });
  await lease.release();
  const path = "/v1/sessions/big/events";
  const stalled = await raw(server, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}\r\n`);
  await expect.poll(() => stalled.text()).toContain("200 OK");
  stalled.socket.pause();
  // Its slot is free again when the server has given it up.
  await expect
    .poll(async () => {
      const response = await get(server, `${path}?until=now&from=${end}`);
      await response.body?.cancel();
      return response.status;
    })
    .toBe(200);
  const held = await raw(server, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}\r\n`);
  held.socket.pause();
  await server.close();
  servers.splice(0);
});

test("class many streams: the event streams of a token are limited, and a closed one is free again", async () => {
  const server = await serve({ streams: 3 });
  await queue.start("s", "Hi");
  const path = "/v1/sessions/s/events";
  const open = await Promise.all(Array.from({ length: 3 }, () => get(server, path)));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = await get(server, path);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  expect(await (await get(server, "/metrics", METRICS)).text()).toMatch(/^runahead_event_streams 3$/m);
  await open[0]?.body?.cancel();
  await expect
    .poll(async () => {
      const response = await get(server, `${path}?until=now`);
      await response.text();
      return response.status;
    })
    .toBe(200);
  for (const { body } of open.slice(1)) await body?.cancel();
});

test("class many connections: connections above the limit are closed", async () => {
  const server = await serve({ connections: 2 });
  const held = [await raw(server, "GET "), await raw(server, "GET ")];
  const more = await raw(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await more.closed;
  expect(more.text()).toBe("");
  for (const { socket } of held) socket.destroy();
  await expect
    .poll(async () =>
      get(server, "/healthz").then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
});

test("class huge bodies: a body is refused by its announced and by its real length, and nothing is stored", async () => {
  const server = await serve({ bodyBytes: 1_000 });
  const head = `POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZED}Content-Type: application/json\r\n`;
  const announced = await raw(server, `${head}Content-Length: 9000000000000\r\n\r\n{`);
  await announced.closed;
  expect(announced.text()).toContain("413");
  const chunk = "a".repeat(0x8000);
  const streamed = await raw(
    server,
    `${head}Transfer-Encoding: chunked\r\n\r\n${`8000\r\n${chunk}\r\n`.repeat(4)}`,
  );
  await streamed.closed;
  expect(await queue.list()).toEqual([]);
});

test("an image of several megabytes is a prompt, and one with a wrong character is refused", async () => {
  const server = await serve({ bodyBytes: 20_000_000 });
  const post = async (data: string): Promise<number> => {
    const source = { type: "base64", media_type: "image/png", data };
    const { status } = await fetch(`${server.url}/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ prompt: [{ type: "image", source }] }),
    });
    return status;
  };
  const data = Buffer.alloc(6_000_001, "x").toString("base64");
  expect([await post(data), await post(`*${data.slice(1)}`), await post(data.slice(1))]).toEqual([
    201, 400, 400,
  ]);
});

test("class request smuggling and path tricks: malformed requests are refused, never a server error", async () => {
  const server = await serve();
  const host = "Host: localhost\r\nConnection: close\r\n";
  const requests = [
    `GET // HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `GET //evil.example/v1/sessions HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `GET http://evil.example/v1/sessions HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `GET /v1/sessions/../../etc/passwd HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `GET /v1/sessions/%2e%2e/%2e%2e HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `GET /v1/sessions/a%0d%0aSet-Cookie:x=1 HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `GET /V1/SESSIONS HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `GET /v1/sessions;x HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `POST /v1/sessions HTTP/1.1\r\n${host}${AUTHORIZED}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n${AUTHORIZED}\r\n`,
    `GET /v1/sessions HTTP/1.1\r\nConnection: close\r\n${AUTHORIZED}\r\n`,
    `GET /v1/sessions HTTP/1.1\r\n${host}Authorization: Bearer ${TOKEN} ${METRICS}\r\n\r\n`,
    `GET /v1/sessions HTTP/1.1\r\n${host}Authorization: Basic ${TOKEN}\r\n\r\n`,
    `GET /v1/sessions HTTP/1.1\r\n${host}Authorization: Bearer ${TOKEN.toUpperCase()}\r\n\r\n`,
    `GET /v1/sessions HTTP/1.1\r\n${host}Authorization: Bearer ${TOKEN}\x00\r\n\r\n`,
    `GET /v1/sessions?limit=100000 HTTP/1.1\r\n${host}${AUTHORIZED}\r\n`,
    `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
    `TRACE / HTTP/1.1\r\n${host}\r\n`,
  ];
  for (const request of requests) {
    const { closed, text } = await raw(server, request);
    await closed;
    const [head = "", body = ""] = text().split("\r\n\r\n");
    // A request that the parser refuses can end without a response.
    expect([request, head.split("\r\n")[0]]).toEqual([
      request,
      expect.stringMatching(/^$|^HTTP\/1\.1 4\d\d /),
    ]);
    expect(head.toLowerCase()).not.toContain("set-cookie");
    expect(body).not.toContain('"sessions"');
  }
  expect((await get(server, "/v1/sessions")).status).toBe(200);
});

test("class header injection: nothing that a client sends becomes a header or a line of the log", async () => {
  const lines: string[] = [];
  const server = await serveAgents({
    queue,
    tokens: [{ token: TOKEN }],
    log: (line) => lines.push(JSON.stringify(line)),
  });
  servers.push(server);
  const { port } = new URL(server.url);
  const evil = '\u2028evil"}{"level":"error';
  const status = await new Promise((resolve, reject) => {
    const headers = {
      host: "localhost",
      authorization: `Bearer ${TOKEN}`,
      traceparent: "00-evil-01",
      "x-request-id": "evil",
      "user-agent": Buffer.from(evil).toString("latin1"),
    };
    httpRequest(
      { port, host: "127.0.0.1", path: `/v1/sessions/${encodeURIComponent(evil)}`, headers },
      (got) => {
        got.resume();
        resolve([got.statusCode, String(got.headers["x-request-id"]).includes("evil")]);
      },
    )
      .on("error", reject)
      .end();
  });
  expect(status).toEqual([404, false]);
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0]).not.toContain("evil");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "info",
    status: 404,
    route: "/v1/sessions/{id}",
  });
});

test("every route needs its scope, and the OpenAPI document names exactly the routes and scopes that exist", async () => {
  const server = await serve();
  const { paths } = (await (await get(server, "/openapi.json")).json()) as {
    paths: Record<
      string,
      Record<string, { summary: string; security?: unknown[]; parameters?: { name: string }[] }>
    >;
  };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.toSorted()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted());
  for (const { method, path, scope } of ROUTES) {
    const operation = paths[path]?.[method.toLowerCase()];
    expect([path, operation?.security]).toEqual([path, scope === undefined ? [] : undefined]);
    if (scope === undefined) continue;
    expect(operation?.summary).toContain(`Scope: ${scope}.`);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation?.parameters?.map(({ name }) => name) ?? []).toEqual(expect.arrayContaining(named));
    const url = `${server.url}${path.replaceAll(/\{\w+\}/g, "x")}`;
    expect([path, (await fetch(url, { method })).status]).toEqual([path, 401]);
    const other = scope === "metrics" ? TOKEN : METRICS;
    const wrong = await fetch(url, { method, headers: { authorization: `Bearer ${other}` } });
    expect([path, wrong.status]).toEqual([path, 403]);
  }
});

test("a server whose store does not respond is alive and not ready", async () => {
  const store = fileStore({ home });
  let isAway = true;
  const failing = new Proxy(store, {
    get(target, name) {
      if (name === "ends" && isAway) return () => Promise.reject(new Error("the store is away"));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const other = createAgentQueue({ store: failing });
  const server = await serveAgents({ queue: other, tokens: [{ token: TOKEN }] });
  servers.push(server);
  const statuses = async () => [
    (await get(server, "/healthz")).status,
    (await get(server, "/readyz")).status,
  ];
  expect(await statuses()).toEqual([200, 503]);
  isAway = false;
  expect(await statuses()).toEqual([200, 200]);
  await other.close();
});

test("metrics are valid OpenMetrics: families have a type, samples belong to them, and nothing is repeated", async () => {
  const server = await serve();
  for (const path of ["/healthz", "/nothing", "/v1/sessions"]) await get(server, path);
  const response = await get(server, "/metrics", METRICS);
  expect(response.headers.get("content-type")).toBe(
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  expect(problemsOf(await response.text())).toEqual([]);
  expect(problemsOf("# TYPE a counter\na 1\n# EOF\n")).toEqual(["a of a counter must end with _total"]);
});

const SAMPLE =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?!\})|(?=\})))*\})? (-?\d+(?:\.\d+)?)$/;

/** Checks the rules of the OpenMetrics text format for counters and gauges. */
function problemsOf(text: string): string[] {
  const problems: string[] = [];
  const lines = text.split("\n");
  if (lines.at(-1) !== "" || lines.at(-2) !== "# EOF") problems.push("it does not end with # EOF");
  const types = new Map<string, string>();
  const seen = new Set<string>();
  let family = "";
  for (const line of lines.slice(0, -2)) {
    const [, kind, name = "", rest = ""] = /^# (TYPE|HELP|UNIT) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "TYPE") {
      if (types.has(name)) problems.push(`${name} has two types`);
      types.set(name, rest);
      family = name;
    } else if (kind !== undefined) {
      if (name !== family) problems.push(`${line} is outside of its family`);
      if (kind === "UNIT" && !name.endsWith(`_${rest}`)) problems.push(`${name} does not end with its unit`);
    } else {
      const [, sample = "", labels = "", value = ""] = SAMPLE.exec(line) ?? [];
      if (sample === "") problems.push(`not a sample: ${line}`);
      const isCounter = types.get(family) === "counter";
      if (isCounter && sample !== `${family}_total`)
        problems.push(`${sample} of a counter must end with _total`);
      if (!isCounter && sample !== family) problems.push(`${sample} does not belong to ${family}`);
      if (isCounter && Number(value) < 0) problems.push(`${sample} is negative`);
      if (seen.has(sample + labels)) problems.push(`${sample}${labels} is repeated`);
      seen.add(sample + labels);
    }
  }
  return problems;
}
