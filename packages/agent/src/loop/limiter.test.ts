import { afterEach, expect, test } from "vitest";
import {
  type LimitingServer,
  type ServerLimits,
  limitingServer,
} from "../../test/support/limiting-server.ts";
import { anthropic } from "../model/anthropic.ts";
import { ModelError } from "../model/error.ts";
import type { Model } from "../model/event.ts";
import { scripted } from "../model/scripted.ts";
import { createAgent } from "./agent.ts";
import { type LimiterOptions, createLimiter } from "./limiter.ts";

const AGENTS = 20;
const servers: LimitingServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** Twenty agents that each send prompts through one limiter to a server with limits. */
async function manyAgents(enforced: ServerLimits, options: LimiterOptions, prompts = 3) {
  const server = await limitingServer(enforced);
  servers.push(server);
  const limiter = createLimiter(options);
  const model = limiter.limit(anthropic({ model: "claude-haiku-4-5", apiKey: "key", baseURL: server.url }));
  const reasons = await Promise.all(
    Array.from({ length: AGENTS }, async () => {
      const agent = createAgent({ model, tools: [], maxTokens: 50 });
      const ends: string[] = [];
      for (let at = 0; at < prompts; at++) ends.push((await agent.send(`prompt ${at}`)).reason);
      await agent.close();
      return ends;
    }),
  );
  return { server, limiter, reasons: reasons.flat() };
}

const count = <Value>(values: readonly Value[], wanted: Value): number =>
  values.filter((value) => value === wanted).length;

test("20 agents under one limit of requests are refused by no server that enforces it", async () => {
  const { server, reasons, limiter } = await manyAgents(
    { requests: 20, windowMs: 300 },
    { requests: 20, windowMs: 300 },
  );
  expect([count(server.answers, 429), count(server.answers, 200)]).toEqual([0, 60]);
  expect([count(reasons, "completed"), limiter.spent.requests, limiter.waiting]).toEqual([60, 60, 0]);
});

test("20 agents under one limit of tokens are refused by no server that enforces it, also when their conversations grow", async () => {
  const limits = { tokens: 8_000, windowMs: 100 };
  const { server } = await manyAgents(limits, limits, 9);
  expect([count(server.answers, 429), count(server.answers, 200)]).toEqual([0, 180]);
});

test("the server of these tests does refuse requests beyond its limit", async () => {
  const server = await limitingServer({ requests: 3, windowMs: 60_000 });
  servers.push(server);
  const model = anthropic({ model: "claude-haiku-4-5", apiKey: "key", baseURL: server.url });
  const retry = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0, random: () => 0 };
  await Promise.all([1, 2, 3, 4].map(() => createAgent({ model, tools: [], retry }).send("go")));
  expect(server.answers).toEqual([200, 200, 200, 429]);
});

test("the budget is exceeded by no more than the requests under way when it was spent", async () => {
  const concurrent = 4;
  const price = { input: 0, output: 1_000_000, cacheRead: 0, cacheWrite: 0 };
  // Each answer costs 10 dollars.
  const { server, limiter, reasons } = await manyAgents(
    { windowMs: 1_000, outputTokens: 10 },
    { costUsd: 95, price, concurrent },
  );
  expect(limiter.spent.costUsd).toBeGreaterThanOrEqual(95);
  expect(limiter.spent.costUsd).toBeLessThanOrEqual(95 + concurrent * 10);
  expect(server.answers.length).toBe(count(reasons, "completed"));
  expect(count(reasons, "budget")).toBe(60 - server.answers.length);
});

/** A model whose requests a test answers. */
function manual() {
  const open: (() => void)[] = [];
  const plain = scripted(Array.from({ length: 50 }, () => [{ type: "text", text: "Fine." } as const]));
  const model: Model = {
    name: "manual",
    async *stream(request, signal) {
      await new Promise<void>((resolve, reject) => {
        open.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
      yield* plain.stream(request, signal);
    },
  };
  return { model, open };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test("requests start in the order of asking, and a session that waits can be cancelled", async () => {
  const { model, open } = manual();
  const limiter = createLimiter({ concurrent: 1 });
  const limited = limiter.limit(model);
  const ended: string[] = [];
  const agents = ["a", "b", "c"].map((name) => {
    const agent = createAgent({ model: limited, tools: [] });
    const done = agent.send("go").then(({ reason }) => ended.push(`${name} ${reason}`));
    return { agent, done };
  });
  await until(() => limiter.waiting === 2 && open.length === 1);
  await agents[1]?.agent.interrupt();
  await agents[1]?.done;
  expect([ended, limiter.waiting, open.length]).toEqual([["b aborted_streaming"], 1, 1]);
  open[0]?.();
  await until(() => open.length === 2);
  open[1]?.();
  await Promise.all(agents.map(({ done }) => done));
  expect(ended).toEqual(["b aborted_streaming", "a completed", "c completed"]);
  expect([limiter.waiting, limiter.spent.requests]).toEqual([0, 2]);
});

test("a request that was refused all the same holds up the others", async () => {
  const times: number[] = [];
  const model: Model = {
    name: "refusing",
    async *stream(request, signal) {
      times.push(performance.now());
      if (times.length === 1) throw new ModelError("rate-limit", "too many", { retryAfterMs: 100 });
      yield* scripted([[{ type: "text", text: "Fine." }]]).stream(request, signal);
    },
  };
  const limiter = createLimiter({ concurrent: 1 });
  const limited = limiter.limit(model);
  const retry = { attempts: 2, firstWaitMs: 0, longestWaitMs: 0, random: () => 0 };
  const agents = [1, 2].map(() => createAgent({ model: limited, tools: [], retry }));
  await Promise.all(agents.map((agent) => agent.send("go")));
  const [refused = 0, ...later] = times;
  expect(later).toHaveLength(2);
  for (const at of later) expect(at - refused).toBeGreaterThanOrEqual(100);
});

test("a request that is larger than the limit is sent alone", async () => {
  const { model, open } = manual();
  const limiter = createLimiter({ tokens: 10, windowMs: 1 });
  const agent = createAgent({ model: limiter.limit(model), tools: [] });
  const done = agent.send("a prompt that has more tokens than the limit, with its output");
  await until(() => open.length === 1);
  open[0]?.();
  expect((await done).reason).toBe("completed");
});

test("options that are wrong are refused, and so is a budget without a price", () => {
  expect(() => createLimiter({ request: 3 } as never)).toThrow('Did you mean "requests"?');
  expect(() => createLimiter({ requests: 0 })).toThrow("a number above 0");
  expect(() => createLimiter({ costUsd: 1 }).limit(scripted([]))).toThrow("the price of scripted is unknown");
  expect(createLimiter({}).limit(scripted([])).name).toBe("scripted");
});
