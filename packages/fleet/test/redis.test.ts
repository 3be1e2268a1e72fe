import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { SpanKind } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { Worker } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ModelError, type ModelRequest, scripted } from "@runahead/agent";
import { telemetry } from "@runahead/agent/otel";
import { type PostgresOptions, type PostgresStore, postgres } from "@runahead/postgres";
import { remote } from "@runahead/workers";
import {
  type AgentQueue,
  type AgentWorker,
  type AgentWorkerOptions,
  type ServeLog,
  createAgentQueue,
  createFleetMetrics,
  serveAgents,
  startAgentWorker,
} from "@runahead/fleet";
import { serverTelemetry } from "@runahead/fleet/otel";
import { bundled } from "../../postgres/test/support/bundle.ts";
import { type PostgresServer, postgresServer } from "../../postgres/test/support/postgres-server.ts";
import { type RedisServer, redisServer } from "../../workers/test/support/redis-server.ts";
import { FairOrder } from "../src/queue/fair-order.ts";
import { lookTool } from "./trace-tool.ts";

/** Far more than it takes, so that a busy machine is not a failure. */
const START_MS = 120_000;
let redis: RedisServer;
let database: PostgresServer;
const stores: PostgresStore[] = [];
const queues: AgentQueue[] = [];
const workers: AgentWorker[] = [];
beforeAll(async () => {
  [redis, database] = await Promise.all([redisServer(), postgresServer()]);
}, START_MS);
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.drain();
  for (const queue of queues.splice(0)) await queue.close();
  for (const store of stores.splice(0)) await store.close();
}, START_MS);
afterAll(async () => {
  await redis?.close();
  await database?.close();
}, START_MS);

let tries = 0;
beforeEach(() => void tries++);
/** A test that is tried again begins with an empty store and an empty queue. */
const fresh = (name: string): string => `${name}-${tries}`;

/** A process of the fleet: its own connections to the store and to Redis. */
function connected(kind: string, options: PostgresOptions = {}): AgentQueue {
  const name = fresh(kind);
  const schema = name.replaceAll("-", "_");
  const store = postgres(database.url, { leaseMs: 3_000, schema, ...options });
  const queue = createAgentQueue({ store, connection: redis.url, name });
  stores.push(store);
  queues.push(queue);
  return queue;
}

async function work(
  queue: AgentQueue,
  agent: AgentWorkerOptions["agent"],
  more: Partial<AgentWorkerOptions> = {},
) {
  const worker = await startAgentWorker({ queue, agent, sweepMs: 200, ...more });
  workers.push(worker);
  return worker;
}

const says = (text: string) => ({ model: scripted([[{ type: "text", text }]]), tools: [] });

const ended = async (queue: AgentQueue, id: string): Promise<string> => {
  for (;;) {
    const { status, run } = await queue.info(id);
    if (status === "ended") return (run as { text: string }).text;
    await pause(20);
  }
};

test("a prompt that one process sends is answered by a worker of another, and read by a third", async () => {
  const [client, runner, reader] = [connected("basic"), connected("basic"), connected("basic")];
  await work(runner, () => says("Hello from a worker."));
  await client.start("talk", "Hi");
  const types: string[] = [];
  for await (const { entry } of reader.events("talk")) {
    types.push(entry.type);
    if (entry.type === "turn-ended") break;
  }
  expect(types).toContain("message");
  expect(await ended(client, "talk")).toBe("Hello from a worker.");
});

test("prompts are found in the store when Redis has lost everything", async () => {
  const [client, runner] = [connected("lost"), connected("lost")];
  for (let count = 0; count < 5; count++) await client.start(`s${count}`, "Hi");
  await redis.command("FLUSHALL");
  await work(runner, () => says("Found."));
  for (let count = 0; count < 5; count++) expect(await ended(client, `s${count}`)).toBe("Found.");
});

test("a session that waits for a worker is woken once, however much is sent to it", async () => {
  const [client, runner] = [connected("woken"), connected("woken")];
  await client.start("s", "Hi");
  for (const prompt of ["One.", "Two.", "Three."]) await client.send("s", prompt);
  expect(await redis.command("ZCARD", `runahead-agents:${fresh("woken")}:prioritized`)).toBe(1);
  const read: string[] = [];
  const model = scripted(
    Array.from({ length: 4 }, () => ({ messages }: ModelRequest) => {
      read.push(JSON.stringify(messages));
      return [{ type: "text", text: "Read." }];
    }),
  );
  await work(runner, () => ({ model, tools: [] }));
  await expect.poll(() => read.at(-1), { timeout: 30_000 }).toContain("Three.");
  // What is sent while it runs, or has run, wakes it again.
  await ended(client, "s");
  await client.send("s", "Four.");
  await expect.poll(() => read.at(-1), { timeout: 30_000 }).toContain("Four.");
});

test("a session waits as long as it should although the clock of its worker is an hour ahead", async () => {
  const [client, runner] = [connected("clock"), connected("clock")];
  let requests = 0;
  const model = {
    name: "limited",
    async *stream(request: ModelRequest, signal: AbortSignal) {
      if (++requests <= 2) throw new ModelError("rate-limit", "Too many requests.", { retryAfterMs: 100 });
      yield* scripted([[{ type: "text", text: "Through." }]]).stream(request, signal);
    },
  };
  const rightNow = (): number => Math.round(performance.timeOrigin + performance.now());
  const clock = vi.spyOn(Date, "now").mockImplementation(() => rightNow() + 3_600_000);
  // The right time again before it is woken: other workers have other clocks.
  const onRunEnded = (): void => clock.mockRestore();
  try {
    await work(runner, () => ({ model, tools: [] }), { onRunEnded });
    await client.start("s", "Hi");
    await expect.poll(async () => (await client.info("s")).status, { timeout: 30_000 }).toBe("ended");
  } finally {
    clock.mockRestore();
  }
  expect(requests).toBe(3);
});

test("a session is run whose wake-up was taken by a worker that died before it took the lease", async () => {
  const [client, runner] = [connected("stolen"), connected("stolen")];
  let hasTaken = false;
  const isOver = new AbortController();
  const dead = new Worker(
    fresh("stolen"),
    async () => {
      hasTaken = true;
      await once(isOver.signal, "abort");
    },
    { connection: { url: redis.url, maxRetriesPerRequest: null }, prefix: "runahead-agents" },
  );
  await client.start("s", "Hi");
  await expect.poll(() => hasTaken).toBe(true);
  await work(runner, () => says("Found."));
  // The queue itself would notice after a minute.
  await expect.poll(async () => (await client.info("s")).status, { timeout: 45_000 }).toBe("ended");
  isOver.abort();
  await dead.close(true);
});

test("a tenant with many sessions does not delay one with a single session", async () => {
  const [client, runner] = [connected("fair"), connected("fair")];
  const [many, few] = [client.forTenant("many"), client.forTenant("few")];
  for (let count = 0; count < 20; count++) await many.start(`m${count}`, "Hi");
  await few.start("f", "Hi");
  const order: string[] = [];
  const onRunEnded = ({ tenant, id }: { tenant: string; id: string }, { type }: { type: string }): void => {
    if (type === "done" && !order.includes(`${tenant} ${id}`)) order.push(`${tenant} ${id}`);
  };
  await work(runner, () => says("Hello."), { concurrency: 1, onRunEnded });
  await expect.poll(() => order.includes("few f"), { timeout: 30_000 }).toBe(true);
  expect(order.indexOf("few f")).toBeLessThan(3);
});

test("wake-ups keep their order when the ranks are used up and restart", async () => {
  const [client, runner] = [connected("ranks"), connected("ranks")];
  const [many, few] = [client.forTenant("many"), client.forTenant("few")];
  const ranks = `runahead-agents:${fresh("ranks")}`;
  await redis.command("SET", `${ranks}/time`, "1999990");
  await redis.command("HSET", `${ranks}/tenants`, "many", "1999995");
  const ids = Array.from({ length: 12 }, (_, at) => `m${at}`);
  // The ranks restart in the middle.
  for (const id of ids) await many.start(id, "Hi");
  expect(await redis.command("GET", `${ranks}/restarts`)).toBe("1");
  await few.start("f", "Hi");
  const order: string[] = [];
  const onRunEnded = ({ id }: { id: string }, { type }: { type: string }): void => {
    if (type === "done" && !order.includes(id)) order.push(id);
  };
  await work(runner, () => says("Hello."), { concurrency: 1, onRunEnded });
  await expect.poll(() => order.length, { timeout: 30_000 }).toBe(13);
  expect(order.filter((id) => id !== "f")).toEqual(ids);
  expect(order.indexOf("f")).toBeLessThan(3);
  const time = Number(await redis.command("GET", `${ranks}/time`));
  expect(time).toBeGreaterThan(0);
  expect(time).toBeLessThan(100);
});

test("a rank from before a restart is corrected, and does not move the time", async () => {
  const base = fresh("order-of-ranks");
  const keys = {
    time: `${base}/time`,
    tenants: `${base}/tenants`,
    restarts: `${base}/restarts`,
    prioritized: `${base}/prioritized`,
    delayed: `${base}/delayed`,
    jobs: `${base}/jobs:`,
  };
  const connection = new Redis(redis.url);
  const order = new FairOrder(connection, keys, 1_000);
  const rankOf = async (tenant: string) => {
    const marked = { mark: `${base}/mark`, markMs: 1_000, isDelayed: false };
    const rank = await order.rank({ tenant, job: `${tenant}-job`, ...marked });
    if (rank === undefined) throw new Error("it is woken already");
    return rank;
  };
  await connection.set(keys.time, 1_500_000);
  await connection.hset(keys.tenants, "full", 2_000_000);
  const late = await rankOf("late");
  expect(late).toEqual({ rank: 1_500_001, restarts: 0 });
  expect(await order.corrected(late)).toBeUndefined();
  const restarted = await rankOf("full");
  expect(restarted).toEqual({ rank: 500_001, restarts: 1 });
  expect(await order.corrected(late)).toBe(1);
  expect(await order.corrected(restarted)).toBeUndefined();
  order.taken(late.rank, `${base}/late`);
  await expect.poll(() => connection.exists(`${base}/late`)).toBe(1);
  expect(await connection.get(keys.time)).toBeNull();
  // One tenant that has as many jobs as there are ranks does not restart them: nothing could move down.
  await connection.hset(keys.tenants, "full", 2_000_000);
  expect(await rankOf("full")).toEqual({ rank: 2_000_000, restarts: 1 });
  connection.disconnect();
});

test("a server is not ready while the store or Redis is away, and ready again when it is back", async () => {
  const token = "ready-0123456789abcdef";
  const server = await serveAgents({
    queue: connected("ready", { patienceMs: 100 }),
    tokens: [{ token, scopes: ["read", "metrics"] }],
  });
  const get = (path: string) =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const statusOf = async (path: string) => (await get(path)).status;
  const metrics = async () => (await get("/metrics")).text();
  expect(await statusOf("/readyz")).toBe(200);
  expect(await metrics()).toContain("\nrunahead_sessions_waiting 0\n");
  const starts = { database: () => database.start(), redis: () => redis.start() };
  for (const [stop, start] of [
    [() => database.crash(), starts.database],
    [() => redis.kill(), starts.redis],
  ] as const) {
    await stop();
    expect(await statusOf("/readyz")).toBe(503);
    expect(await statusOf("/healthz")).toBe(200);
    const listed = await get("/v1/sessions");
    const isDatabase = start === starts.database;
    expect([listed.status, listed.headers.get("retry-after")]).toEqual(isDatabase ? [503, "5"] : [200, null]);
    // What Redis knows has no sample then; the counters of the process have.
    const text = await metrics();
    expect(/^runahead_sessions_waiting \d/m.test(text)).toBe(isDatabase);
    expect(text).toMatch(/^runahead_http_requests_total\{/m);
    await start();
    await expect.poll(() => statusOf("/readyz"), { timeout: 60_000 }).toBe(200);
  }
  await server.close();
});

test("a limit of a tenant holds for all workers together", async () => {
  const [client, one, two] = [connected("limit"), connected("limit"), connected("limit")];
  let now = 0;
  let most = 0;
  const agent = async () => {
    most = Math.max(most, ++now);
    await pause(30);
    return { ...says("Hello."), onClosed: () => void now-- };
  };
  const queue = client.forTenant("big");
  for (let count = 0; count < 8; count++) await queue.start(`s${count}`, "Hi");
  for (const runner of [one, two]) await work(runner, agent, { concurrency: 8, tenantLimit: 2 });
  for (let count = 0; count < 8; count++) await ended(queue, `s${count}`);
  expect(most).toBe(2);
});

test("sessions above the limit of a tenant are put aside, keep their order, and are not tried again", async () => {
  const [client, runner] = [connected("aside"), connected("aside")];
  const ran: string[] = [];
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const agent: AgentWorkerOptions["agent"] = async ({ session }) => {
    ran.push(session.id);
    await finished;
    return says("Hello.");
  };
  const big = client.forTenant("big");
  const ids = Array.from({ length: 12 }, (_, at) => `s${at}`);
  for (const id of ids) await big.start(id, "Hi");
  const metrics = createFleetMetrics();
  const token = "aside-0123456789abcdef";
  const server = await serveAgents({ queue: client, tokens: [{ token, scopes: ["metrics"] }], metrics });
  const limited = async (): Promise<string | undefined> => {
    const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return /^runahead_sessions_limited (\d+)$/m.exec(await response.text())?.[1];
  };
  await work(runner, agent, { concurrency: 4, tenantLimit: 1 });
  await expect.poll(limited, { timeout: 30_000 }).toBe("11");
  // Neither jobs that wait nor jobs that are tried again after a while.
  const key = `runahead-agents:${fresh("aside")}`;
  const jobs = ["prioritized", "delayed", "wait"].map((kind) => `${key}:${kind}`);
  expect(await Promise.all(jobs.map((one) => redis.command("EXISTS", one)))).toEqual([0, 0, 0]);
  // Others are not held up, and another prompt of a session that waits does not cost it its place.
  await client.start("small", "Hi");
  await expect.poll(() => ran, { timeout: 30_000 }).toEqual(["s0", "small"]);
  await big.send("s1", "And?");
  finish();
  for (const id of ids) await ended(big, id);
  expect(ran.filter((id) => id !== "small").slice(0, 3)).toEqual(["s0", "s1", "s2"]);
  expect([...new Set(ran)]).toHaveLength(13);
  expect(await limited()).toBe("0");
  await server.close();
});

test("no session counts as limited after the limit was removed", async () => {
  const [client, runner] = [connected("unlimited"), connected("unlimited")];
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const agent = async () => {
    await finished;
    return says("Hello.");
  };
  const token = "unlimited-0123456789";
  const server = await serveAgents({ queue: client, tokens: [{ token, scopes: ["metrics"] }] });
  const limited = async (): Promise<string | undefined> => {
    const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return /^runahead_sessions_limited (\d+)$/m.exec(await response.text())?.[1];
  };
  const ids = ["one", "two", "three"];
  for (const id of ids) await client.start(id, "Hi");
  const worker = await work(runner, agent, { tenantLimit: 1 });
  await expect.poll(limited, { timeout: 30_000 }).toBe("2");
  const drained = worker.drain();
  await work(runner, agent);
  finish();
  await drained;
  for (const id of ids) expect(await ended(client, id)).toBe("Hello.");
  await expect.poll(limited, { timeout: 30_000 }).toBe("0");
  await server.close();
});

test("sessions that wait for their tenant are found when the workers that had its slots are gone", async () => {
  const [client, runner] = [connected("slots"), connected("slots")];
  const slots = `runahead-agents:${fresh("slots")}/slots:default`;
  // A worker that died half a minute ago, and one that died just now.
  const [past, soon] = [Date.now() - 30_000, Date.now() + 2_000];
  await redis.command("ZADD", slots, `${past}`, "dead.1", `${soon}`, "dead.2");
  await client.start("one", "Hi");
  await client.start("two", "Hi");
  await work(runner, () => says("Hello."), { tenantLimit: 1 });
  const aside = slots.replace("/slots:", "/aside:");
  await expect.poll(() => redis.command("ZCARD", aside), { timeout: 30_000 }).toBe(2);
  for (const id of ["one", "two"]) expect(await ended(client, id)).toBe("Hello.");
});

test("one trace leads from the HTTP request through the worker's spans to a tool in another process", async () => {
  const [client, runner] = [connected("trace"), connected("trace")];
  const script = await bundled(new URL("trace-child.ts", import.meta.url));
  const child = fork(script, [redis.url], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const heard: unknown[] = [];
  child.on("message", (message) => heard.push(message));
  await once(child, "message");
  const tools = remote([lookTool(() => {})], { connection: redis.url, queue: "trace-tools" });
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const turn = ({ messages }: ModelRequest) =>
    messages.length === 1
      ? [{ type: "tool_use", id: "c1", name: "Look", input: {} }]
      : [{ type: "text", text: "Done." }];
  await work(runner, ({ trace = "" }) => {
    const { hear } = telemetry({ tracer: provider.getTracer("agent"), traceparent: trace });
    return { model: scripted([turn, turn]), tools, onEvent: hear };
  });
  const log: ServeLog[] = [];
  const token = "trace-0123456789abcdef";
  const server = await serveAgents({
    queue: client,
    tokens: [{ token }],
    log: (line) => log.push(line),
    telemetry: serverTelemetry({ tracer: provider.getTracer("server") }),
  });
  const response = await fetch(`${server.url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ id: "traced", prompt: "Look." }),
  });
  expect(response.status).toBe(201);
  expect(await ended(client, "traced")).toBe("Done.");
  // The request had no trace, so the server began one.
  const [, traceId, spanId] = String(log[0]?.["trace"]).split("-");
  await expect.poll(() => heard.length).toBe(2);
  expect(heard[1]).toMatchObject({ traceId, parentSpanId: spanId });
  await expect.poll(() => exporter.getFinishedSpans().map(({ name }) => name)).toContain("execute_tool Look");
  await expect
    .poll(() => exporter.getFinishedSpans().some(({ name }) => name.startsWith("invoke_agent")))
    .toBe(true);
  const spans = exporter.getFinishedSpans();
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
  // The request is the root, and the run is its child.
  const [root, ...others] = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
  expect(others).toEqual([]);
  expect(root).toMatchObject({
    name: "POST /v1/sessions",
    kind: SpanKind.SERVER,
    attributes: { "http.route": "/v1/sessions", "http.response.status_code": 201 },
  });
  expect(root?.spanContext().spanId).toBe(spanId);
  const run = spans.find(({ name }) => name.startsWith("invoke_agent"));
  expect(run?.parentSpanContext?.spanId).toBe(spanId);
  await server.close();
  await tools.close();
  const exited = once(child, "exit");
  child.disconnect();
  await exited;
  await rm(script, { force: true });
});
