import { anthropic, createAgent, scripted } from "@runahead/agent";
import { createRedisLimiter, type RedisLimiter, type RedisLimiterOptions } from "@runahead/fleet";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { limitingServer } from "../../../agent/test/support/limiting-server.ts";
import { type RedisServer, redisServer } from "../../../workers/test/support/redis-server.ts";
import { RedisWindow } from "../../src/limiter/redis-window.ts";

let redis: RedisServer;
const cleanUps: (() => unknown)[] = [];
let names = 0;
beforeAll(async () => {
  redis = await redisServer();
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});
afterAll(() => redis?.close());

/** Limits with a name that no other test uses, as several processes see them. */
function processes(count: number, options: Omit<RedisLimiterOptions, "connection">): RedisLimiter[] {
  const name = `test-${++names}-${process.pid}`;
  return Array.from({ length: count }, () => {
    const limiter = createRedisLimiter({ connection: redis.url, name, ...options });
    cleanUps.push(() => limiter.close());
    return limiter;
  });
}

/** Sends prompts from three agents of each process, and returns how they ended. */
async function sendAll(limiters: readonly RedisLimiter[], baseURL: string): Promise<string[]> {
  const model = anthropic({ model: "claude-haiku-4-5", apiKey: "key", baseURL });
  const all = limiters.flatMap((limiter) =>
    [1, 2, 3].map(async () => {
      const agent = createAgent({ model: limiter.limit(model), tools: [], maxTokens: 50 });
      const ends: string[] = [];
      for (const prompt of ["one", "two", "three"]) ends.push((await agent.send(prompt)).reason);
      await agent.close();
      return ends;
    }),
  );
  return (await Promise.all(all)).flat();
}

const count = <Value>(values: readonly Value[], wanted: Value): number =>
  values.filter((value) => value === wanted).length;

test.each([
  ["requests", { requests: 9, windowMs: 250 }],
  ["tokens", { tokens: 2_000, windowMs: 150 }],
])(
  "limiters with their own connections share a limit of %s, and a server that enforces it refuses nothing",
  async (_of, limits) => {
    const server = await limitingServer(limits);
    cleanUps.push(() => server.close());
    const limiters = processes(4, limits);
    const ends = await sendAll(limiters, server.url);
    expect([count(server.answers, 429), count(server.answers, 200), count(ends, "completed")]).toEqual([
      0, 36, 36,
    ]);
    const total = await limiters[0]?.total();
    expect([total?.requests, limiters.every(({ waiting }) => waiting === 0)]).toEqual([36, true]);
    expect(limiters.map(({ spent }) => spent.requests)).toEqual([9, 9, 9, 9]);
  },
);

test("a shared budget is exceeded by no more than the requests under way", async () => {
  const price = { input: 0, output: 1_000_000, cacheRead: 0, cacheWrite: 0 };
  // Each answer costs 10 dollars.
  const server = await limitingServer({ windowMs: 1_000, outputTokens: 10 });
  cleanUps.push(() => server.close());
  const limiters = processes(4, { costUsd: 95, price, concurrent: 3 });
  const ends = await sendAll(limiters, server.url);
  const { costUsd = 0 } = (await limiters[0]?.total()) ?? {};
  expect(costUsd).toBeGreaterThanOrEqual(95);
  expect(costUsd).toBeLessThanOrEqual(95 + 3 * 10);
  expect(server.answers.length).toBe(count(ends, "completed"));
  expect(count(ends, "budget")).toBe(36 - server.answers.length);
});

let windowName = "";
const keyOf = (key: string): string => `runahead-limiter:{${windowName}}/${key}`;

/** The windows of some processes, without models. */
function windows(amount: number, limits: ConstructorParameters<typeof RedisWindow>[2]): RedisWindow[] {
  windowName = `window-${++names}-${process.pid}`;
  return Array.from({ length: amount }, () => {
    const [one, other] = [new Redis(redis.url), new Redis(redis.url)];
    const window = new RedisWindow({ redis: one, subscriber: other }, windowName, limits);
    cleanUps.push(() => (window.close(), one.disconnect(), other.disconnect()));
    return window;
  });
}

const never = new AbortController().signal;
const unlimited = (): void => {};

test("a request that waits can be aborted, and the next one takes its place", async () => {
  const [one, other] = windows(2, { concurrent: 1, windowMs: 60_000 });
  const running = await one?.take(1, never, unlimited);
  const stop = new AbortController();
  const aborted = one?.take(1, stop.signal, unlimited);
  const next = one?.take(1, never, unlimited);
  const far = other?.take(1, never, unlimited);
  expect([one?.waiting, other?.waiting]).toEqual([2, 1]);
  stop.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  running?.end(1);
  // Both get their turn, one after the other.
  const first = await Promise.race([next, far]);
  first?.end(1);
  (await next)?.end(1);
  (await far)?.end(1);
  expect([one?.waiting, other?.waiting]).toEqual([0, 0]);
  expect(await one?.spent()).toEqual({ requests: 3, tokens: 3, costUsd: 0 });
});

test("what a process that died had sent stops counting, and so does its place in the line", async () => {
  const [dead, alive] = windows(2, { concurrent: 1, windowMs: 50, leaseMs: 300 });
  await dead?.take(1, never, unlimited);
  const lost = dead?.take(1, never, unlimited).catch(() => "lost");
  await expect.poll(() => redis.command("ZCARD", keyOf("line"))).toBe(1);
  // As a kill does: it neither renews nor says goodbye.
  dead?.close();
  expect(await lost).toBe("lost");
  const taken = await alive?.take(1, never, unlimited);
  expect(taken).toBeDefined();
  taken?.end(1);
});

test("the lease of a request under way is renewed, so that it counts until its end", async () => {
  const [window] = windows(1, { concurrent: 1, windowMs: 10, leaseMs: 900 });
  const running = await window?.take(1, never, unlimited);
  const lease = async (): Promise<number> => {
    const found = await redis.command("ZRANGE", keyOf("running"), "0", "0", "WITHSCORES");
    return Number((found as unknown[]).flat()[1]);
  };
  const first = await lease();
  await expect.poll(lease).toBeGreaterThan(first);
  running?.end(1);
  await expect.poll(() => redis.command("ZCARD", keyOf("running"))).toBe(0);
});

test("a server that refuses a request all the same holds up all processes", async () => {
  const [one, other] = windows(2, { windowMs: 60_000 });
  const start = performance.now();
  one?.pause(200);
  (await one?.take(1, never, unlimited))?.end(1);
  (await other?.take(1, never, unlimited))?.end(1);
  expect(performance.now() - start).toBeGreaterThanOrEqual(190);
});

test("wrong options are named", () => {
  const connection = redis.url;
  expect(() => createRedisLimiter({ requests: 1 } as never)).toThrow('"connection" is required');
  expect(() => createRedisLimiter({ connection, request: 3 } as never)).toThrow('Did you mean "requests"?');
  expect(() => createRedisLimiter({ connection, requests: 0 })).toThrow("a number above 0");
  const [limiter] = processes(1, { costUsd: 1 });
  expect(() => limiter?.limit(scripted([]))).toThrow("the price of scripted is unknown");
});
