import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { type ScriptedAnswer, modelServer } from "../../test/support/model-server.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { waitBefore } from "../loop/retry.ts";
import { anthropic } from "./anthropic.ts";
import { ModelError } from "./error.ts";
import type { Model } from "./event.ts";

const REQUEST = { system: "", tools: [], messages: [{ role: "user", content: "go" }], maxTokens: 9 } as const;
const RETRY = { attempts: 3, firstWaitMs: 1, longestWaitMs: 1, random: () => 0 };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function attempts(answer: ScriptedAnswer) {
  const server = await modelServer(answer, answer, answer);
  closing.push(() => server.close());
  const model = anthropic({ model: "m", apiKey: "key", baseURL: server.url });
  const { result } = await runQuery({ model, tools: [], prompt: "go", retry: RETRY });
  return { requests: server.requests.length, result };
}

test("429 without a time to wait is retried with back-off; a spending limit is not", async () => {
  const limited = { status: 429, pieces: [JSON.stringify({ error: { message: "slow down" } })] };
  expect((await attempts(limited)).requests).toBe(3);
  const spent = {
    status: 429,
    pieces: [JSON.stringify({ error: { code: "insufficient_quota", message: "no" } })],
  };
  expect((await attempts(spent)).requests).toBe(1);
});

test("x-should-retry decides whatever the status", async () => {
  const answer = (status: number, should: string) => ({
    status,
    headers: { "x-should-retry": should },
    pieces: ["{}"],
  });
  expect((await attempts(answer(500, "false"))).requests).toBe(1);
  expect((await attempts(answer(400, "true"))).requests).toBe(3);
});

test("a time to wait that no timer can hold ends the run at once, and says so", async () => {
  const answer = { status: 429, headers: { "retry-after": "2592000" }, pieces: ["{}"] };
  const { requests, result } = await attempts(answer);
  expect(requests).toBe(1);
  expect(result.detail).toContain("The server asks to wait 30 days");
  const policy = { ...RETRY, firstWaitMs: 1e12, longestWaitMs: 1e12 };
  expect(waitBefore(1, new ModelError("server", "x"), policy)).toBeLessThan(2 ** 31);
});

test("an error in the code of a model fails at once, and is named", async () => {
  let asked = 0;
  const broken: Model = {
    name: "mine",
    stream: () => {
      asked++;
      throw new TypeError("x is not a function");
    },
  };
  const { events, result } = await runQuery({ model: broken, tools: [], prompt: "go" });
  expect([asked, events.filter(({ type }) => type === "retry")]).toEqual([1, []]);
  expect(result).toMatchObject({ reason: "model_error", error: { kind: "protocol", isRetryable: false } });
  expect(result.detail).toBe(
    'The model "mine" failed with TypeError: x is not a function. This is a bug in the code of the model, so the request is not sent again.',
  );
});

test("a response that begins late is waited for, up to the limit that the user sets", async () => {
  const server = createServer(
    (_request, response) => void setTimeout(() => response.writeHead(500).end(), 300),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = anthropic({ model: "m", apiKey: "key", baseURL });
  const failure = async () =>
    (await collect(model.stream(REQUEST, new AbortController().signal))).error?.message;
  vi.stubEnv("RUNAHEAD_STREAM_START_MS", "50");
  expect(await failure()).toContain("did not begin to answer within 0.05 s. Raise RUNAHEAD_STREAM_START_MS");
  vi.stubEnv("RUNAHEAD_STREAM_START_MS", "400000");
  // The limit for silence during a response must not count before it begins.
  vi.stubEnv("RUNAHEAD_STREAM_IDLE_MS", "50");
  expect(await failure()).toContain("failed to process the request (500)");
});
