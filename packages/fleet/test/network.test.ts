import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scripted } from "@runahead/agent";
import { postgres } from "@runahead/postgres";
import { type AgentQueue, createAgentQueue, startAgentWorker } from "@runahead/fleet";
import { type PostgresServer, postgresServer } from "../../postgres/test/support/postgres-server.ts";
import { stallingProxy } from "../../workers/test/support/proxy.ts";
import { type RedisServer, redisServer } from "../../workers/test/support/redis-server.ts";

let redis: RedisServer;
let database: PostgresServer;
beforeAll(async () => {
  [redis, database] = await Promise.all([redisServer(), postgresServer()]);
}, 120_000);
afterAll(async () => {
  await redis?.close();
  await database?.close();
}, 120_000);

const says = () => ({ model: scripted([[{ type: "text", text: "Done." }]]), tools: [] });

async function ended(queue: AgentQueue, id: string): Promise<void> {
  while ((await queue.info(id)).status !== "ended") await pause(20);
}

test("a worker whose connections to Redis are dead without a word notices, reports it once, and goes on", async () => {
  const proxy = await stallingProxy(redis.port);
  const store = postgres(database.url, { schema: "half_open" });
  const client = createAgentQueue({ store, connection: redis.url, name: "half-open" });
  const notices: string[] = [];
  const onNotice = (message: string): void => void notices.push(message);
  const far = createAgentQueue({ store, connection: proxy.url, name: "half-open", onNotice });
  const worker = await startAgentWorker({ queue: far, agent: says, onNotice });
  try {
    await client.start("before", "Hi");
    await ended(client, "before");
    const read: string[] = [];
    const reading = new AbortController();
    const reader = (async () => {
      for await (const { entry } of far.events("before", { signal: reading.signal })) read.push(entry.type);
    })();
    await expect.poll(() => read, { timeout: 30_000 }).toContain("turn-ended");
    proxy.forget();
    await client.start("after", "Hi");
    await ended(client, "after");
    await expect.poll(() => notices.length, { timeout: 30_000 }).toBe(2);
    expect(notices).toEqual([
      expect.stringMatching(
        /^Cannot reach the Redis server at 127\.0\.0\.1:\d+: .+[^.]\. No session is started until it responds\.$/,
      ),
      expect.stringMatching(/^Connected to the Redis server at 127\.0\.0\.1:\d+ again\.$/),
    ]);
    reading.abort();
    await reader;
  } finally {
    await worker.drain();
    for (const queue of [client, far]) await queue.close();
    await store.close();
    await proxy.close();
  }
}, 120_000);

test("a server that cannot be reached is reported once, and readiness names what does not respond", async () => {
  const notices: string[] = [];
  const store = postgres(database.url, { schema: "away" });
  const queue = createAgentQueue({
    store,
    connection: "redis://127.0.0.1:1",
    onNotice: (message) => notices.push(message),
  });
  await expect(queue.ready()).rejects.toThrow("The Redis server does not respond.");
  expect(notices).toEqual([
    "Cannot reach the Redis server at 127.0.0.1:1: connection refused, no server is listening there. " +
      "No session is started until it responds.",
  ]);
  await queue.close();
  await store.close();
  const nowhere = postgres("postgres://127.0.0.1:1/none", { patienceMs: 4_000 });
  const lost = createAgentQueue({ store: nowhere });
  await expect(lost.ready()).rejects.toThrow("The store postgres 127.0.0.1:1/none does not respond.");
  await nowhere.close();
  const refused = postgres(database.url.replace(/\/\w+$/, "/none"));
  await expect(createAgentQueue({ store: refused }).ready()).rejects.toThrow(
    /^The store postgres 127\.0\.0\.1:\d+\/none cannot be used: database "none" does not exist$/,
  );
  await refused.close();
  expect(() => createAgentQueue({ store: nowhere, connection: "localhost:6379" })).toThrow(
    'createAgentQueue: "connection" must be an address such as redis://127.0.0.1:6379.',
  );
}, 60_000);
