import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@runahead/engine";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../../test/support/model-server.ts";
import { read } from "../../test/support/read-tool.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../test/support/responses.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { anthropic } from "../model/anthropic.ts";
import { ModelError } from "../model/error.ts";
import type { Model } from "../model/event.ts";
import { scripted } from "../model/scripted.ts";
import { NO_USAGE, addUsage } from "../model/token-usage.ts";
import { laterUsage } from "../model/usage.ts";
import { sessions } from "../session/sessions.ts";
import type { QueryResult } from "./event.ts";
import type { QueryOptions } from "./options.ts";
import { query } from "./query.ts";
import { waitBefore } from "./retry.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const AT_ONCE = { attempts: 4, firstWaitMs: 1, longestWaitMs: 2, random: () => 0.5 };

const run = (options: Partial<QueryOptions> & { model: Model }) =>
  runQuery({ prompt: "go", tools: [read], retry: AT_ONCE, ...options });

/** A model over real HTTP that refuses what the real API would refuse. */
async function served(...answers: readonly ScriptedAnswer[]) {
  const server = await modelServer(...answers);
  servers.push(server);
  return { server, model: anthropic({ model: "claude-test", apiKey: "key", baseURL: server.url }) };
}
const messagesOf = (server: ModelServer, at: number) =>
  server.requests[at]?.body["messages"] as { role: string; content: string | unknown[] }[];
const response = (...events: readonly object[]): ScriptedAnswer => ({
  pieces: [sse([messageStart, ...events])],
});
const said = (text: string) => response(...textBlock(0, text), ...messageEnd("end_turn"));
const calls = (...ids: readonly string[]) =>
  response(
    ...ids.flatMap((id, index) => callBlock(index, id, `{"file_path": "${id}.ts"}`)),
    ...messageEnd("tool_use"),
  );

test("the loop runs calls, sends their results in one message, and ends when there are no more calls", async () => {
  const { server, model } = await served(calls("a", "b"), said("Done."));
  const { events, result } = await run({ model, system: "Be brief." });
  expect(result).toMatchObject({
    reason: "completed",
    text: "Done.",
    turns: 2,
    usage: { inputTokens: 200, outputTokens: 100 },
  });
  expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  const sent = server.requests[1]?.body as {
    messages: { content: { content: string }[] }[];
    tools: object[];
  };
  expect(sent.messages[2]?.content.map(({ content }) => content)).toEqual([
    "content of a.ts",
    "content of b.ts",
  ]);
  expect(sent.tools).toMatchObject([
    { name: "Read", input_schema: { type: "object", required: ["file_path"] } },
  ]);
  const types = events.map(({ type }) => type);
  expect(types.indexOf("call-started")).toBeLessThan(types.lastIndexOf("call-arrived"));
  expect(events.at(-1)).toEqual({ type: "ended", result });
});

test("A06: a response that breaks off after a complete call is not requested again; the loop continues from there", async () => {
  let runs = 0;
  const counting = defineTool({
    name: "Read",
    description: "Counts",
    inputSchema: z.object({}).loose(),
    call: () => `run ${++runs}`,
  });
  const broken: ScriptedAnswer = {
    pieces: [sse([messageStart, ...callBlock(0, "a", "{}")])],
    after: "break",
  };
  const { server, model } = await served(broken, said("Done."));
  const { events, result } = await run({ model, tools: [counting] });
  expect([result.reason, runs, server.requests.length]).toEqual(["completed", 1, 2]);
  expect(events.filter(({ type }) => type === "notice")).toHaveLength(1);
});

test("A05, A08: without a complete call, the response is requested again, each time after a longer wait", async () => {
  const overloaded = response({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  const { model } = await served({ pieces: [], after: "break" }, overloaded, said("Done."));
  const { events, result } = await run({ model });
  expect(result).toMatchObject({ reason: "completed", text: "Done.", turns: 1 });
  const retries = events.flatMap((event) =>
    event.type === "retry" ? [[event.attempt, event.error.kind]] : [],
  );
  expect(retries).toEqual([
    [1, "cut"],
    [2, "overloaded"],
  ]);
  const error = new ModelError("overloaded", "x");
  const policy = { attempts: 10, firstWaitMs: 500, longestWaitMs: 4_000, random: () => 0 };
  expect([1, 2, 3, 4, 5].map((attempt) => waitBefore(attempt, error, policy))).toEqual([
    375, 750, 1_500, 3_000, 3_000,
  ]);
  expect(waitBefore(1, new ModelError("rate-limit", "x", { retryAfterMs: 7_000 }), policy)).toBe(7_000);
});

test("the tokens of a response that broke off are counted, also by the session", async () => {
  const home = mkdtempSync(join(tmpdir(), "runahead-query-"));
  const session = await sessions({ home, cwd: home }).create();
  const broken: ScriptedAnswer = { pieces: [sse([messageStart, ...textBlock(0, "So")])], after: "break" };
  const { model } = await served(broken, said("Done."));
  const { result } = await run({ model, session });
  const alone = (await run({ model: (await served(said("Done."))).model })).result;
  const first = laterUsage(NO_USAGE, messageStart.message.usage);
  expect(result.usage).toEqual(addUsage(alone.usage, first));
  expect(session.usage).toEqual(result.usage);
  await session.close();
  rmSync(home, { recursive: true });
});

test("A10: retries end, and the last error is the result", async () => {
  const down: ScriptedAnswer = { status: 529, pieces: ["busy"] };
  const { server, model } = await served(down, down, down, down);
  const { result } = await run({ model });
  expect(result).toMatchObject({ reason: "model_error", error: { kind: "overloaded", status: 529 } });
  expect(server.requests).toHaveLength(4);
});

test("a bad key ends the run at once, without a retry", async () => {
  const { server, model } = await served({
    status: 401,
    pieces: ['{"error": {"message": "invalid x-api-key"}}'],
  });
  const { result } = await run({ model });
  expect(result).toMatchObject({ reason: "model_error", error: { kind: "credentials", status: 401 } });
  expect(server.requests).toHaveLength(1);
});

test("after repeated overload another model takes over", async () => {
  const down: ScriptedAnswer = { status: 529, pieces: ["busy"] };
  const { model } = await served(down, down, down);
  const fallbackModel = scripted([[{ type: "text", text: "I am here." }]]);
  const { events, result } = await run({ model, fallbackModel });
  expect(result).toMatchObject({ reason: "completed", text: "I am here." });
  expect(events).toContainEqual({
    type: "notice",
    message: "claude-test is overloaded. Switched to scripted.",
  });
});

test("an overload that the server will not lift is left to the other model at once", async () => {
  const down: ScriptedAnswer = { status: 529, headers: { "x-should-retry": "false" }, pieces: ["busy"] };
  const { model, server } = await served(down);
  const fallbackModel = scripted([[{ type: "text", text: "I am here." }]]);
  const { events, result } = await run({ model, fallbackModel });
  expect(result).toMatchObject({ reason: "completed", text: "I am here." });
  expect([server.requests.length, events.some(({ type }) => type === "retry")]).toEqual([1, false]);
});

test("what was used is counted for each model", async () => {
  const named = (name: string, answer: Parameters<typeof scripted>[0][number]): Model => ({
    ...scripted([answer]),
    name,
    facts: { contextTokens: 1_000, price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } },
  });
  const failing: Model = {
    name: "one",
    // oxlint-disable-next-line require-yield -- it fails before its first event
    async *stream() {
      throw new ModelError("overloaded", "busy", { isPermanent: true });
    },
  };
  const fallbackModel = named("two", [{ type: "text", text: "I am here." }]);
  const { result } = await run({ model: failing, fallbackModel });
  expect(result.models).toEqual([
    {
      model: "two",
      usage: result.usage,
      costUsd: result.costUsd,
      facts: fallbackModel.facts,
    },
  ]);
});

test("of several fallback models, each takes over from the one before it", async () => {
  const busy = (name: string): Model => ({
    name,
    // oxlint-disable-next-line require-yield -- it fails before its first event
    async *stream() {
      throw new ModelError("overloaded", "busy");
    },
  });
  const last = scripted([[{ type: "text", text: "I am here." }]]);
  const retry = { attempts: 20, firstWaitMs: 0, longestWaitMs: 0, random: () => 0 };
  const { events, result } = await run({
    model: busy("one"),
    fallbackModel: [busy("two"), busy("three"), last],
    retry,
  });
  expect(result).toMatchObject({ reason: "completed", text: "I am here." });
  expect(events.flatMap((event) => (event.type === "notice" ? [event.message] : []))).toEqual([
    "one is overloaded. Switched to two.",
    "two is overloaded. Switched to three.",
    "three is overloaded. Switched to scripted.",
  ]);
  expect(events.filter(({ type }) => type === "retry")).toHaveLength(9);
});

test("B01: after a response that max_tokens cut off, complete calls run, the model is asked to continue, and the loop continues", async () => {
  const cut = response(
    ...callBlock(0, "a", '{"file_path": "a.ts"}'),
    ...callBlock(1, "b", '{"file_path": "b').slice(0, 2),
    { type: "content_block_stop", index: 1 },
    ...messageEnd("max_tokens"),
  );
  const { server, model } = await served(cut, said("Done."));
  const { result } = await run({ model });
  expect(result).toMatchObject({ reason: "completed", text: "Done." });
  const sent = messagesOf(server, 1);
  expect(sent.map(({ role, content }) => [role, content.length])).toEqual([
    ["user", 1],
    ["assistant", 1],
    ["user", 1],
    ["user", 1],
  ]);
  expect(JSON.stringify(sent.at(-1))).toContain("cut off by the output limit");
});

test("responses that max_tokens cuts off again and again end the loop", async () => {
  const cut = response(...textBlock(0, "so"), ...messageEnd("max_tokens"));
  const { result } = await run({ model: (await served(cut, cut, cut, cut)).model });
  expect(result).toMatchObject({
    reason: "model_error",
    detail:
      "The response was cut off by the output limit 4 times in a row. Raise maxTokens, or ask for smaller steps.",
  });
});

test.each(["pause_turn", "compaction"])(
  "B10: a turn that the server stops with %s is sent back unchanged",
  async (reason) => {
    const { server, model } = await served(
      response(...textBlock(0, "Wait."), ...messageEnd(reason)),
      said("Done."),
    );
    const { result } = await run({ model });
    expect(result.text).toBe("Done.");
    expect(messagesOf(server, 1)).toHaveLength(2);
  },
);

test("B11: a refusal ends the loop; calls that had not started are reported as not run", async () => {
  const { model } = await served(
    response(...callBlock(0, "a", '{"file_path": "a.ts"}'), ...messageEnd("refusal")),
  );
  const { result } = await run({ model, start: "after" });
  expect(result).toMatchObject({ reason: "completed", detail: "refusal" });
  expect(JSON.stringify(result.messages.at(-1))).toContain("Not run: the response broke off (refusal).");
});

test("B13: after an empty response to results, the model is asked once to continue", async () => {
  const empty = response(...messageEnd("end_turn"));
  const { server, model } = await served(calls("a"), empty, empty);
  const { result } = await run({ model });
  expect([result.reason, server.requests.length]).toEqual(["completed", 3]);
});

test("I04: the loop ends at maxTurns with a history that can be continued", async () => {
  const again = (id: string) => [{ type: "tool_use", id, name: "Read", input: { file_path: "a" } }];
  const { result } = await run({ model: scripted([again("1"), again("2"), again("3")]), maxTurns: 2 });
  expect(result).toMatchObject({ reason: "max_turns", turns: 2 });
  const { model } = await served(said("Going on."));
  const next = await run({ model, messages: result.messages, prompt: "go on" });
  expect(next.result).toMatchObject({ reason: "completed", text: "Going on." });
});

test("a budget of tokens, calls or time ends the loop before the next turn", async () => {
  const turns = () =>
    scripted(
      ["1", "2", "3"].map((id) => [{ type: "tool_use", id, name: "Read", input: { file_path: "a" } }]),
    );
  expect((await run({ model: turns(), budget: { calls: 2 } })).result).toMatchObject({
    reason: "budget",
    detail: "2 calls",
    turns: 2,
  });
  expect((await run({ model: turns(), budget: { ms: 0 } })).result).toMatchObject({
    reason: "budget",
    turns: 0,
  });
  const { model } = await served(calls("a"), calls("b"));
  expect((await run({ model, budget: { tokens: 150 } })).result).toMatchObject({
    reason: "budget",
    detail: "150 tokens",
    turns: 1,
  });
});

test("G02: an interrupt while a tool runs leaves a history that the next prompt can continue", async () => {
  const abort = new AbortController();
  const hang = defineTool({
    name: "Read",
    description: "Hangs",
    inputSchema: z.object({}).loose(),
    call: (_input, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
        abort.abort();
      }),
  });
  const { model } = await served(calls("a"));
  const { result } = await run({ model, tools: [hang], signal: abort.signal });
  expect(result.reason).toBe("aborted_tools");
  expect(result.messages.at(-1)).toEqual({
    role: "user",
    content: "[The user interrupted while tools were running. Each call's result says how far it got.]",
  });
  const next = await served(said("What now?"));
  expect((await run({ model: next.model, messages: result.messages })).result.reason).toBe("completed");
});

test("an interrupt while the response streams ends the loop at once; a new message adds no note", async () => {
  for (const [reason, last] of [
    ["stop", "[The user interrupted the response.]"],
    ["interrupt", [{ type: "text", text: "Well" }]],
  ] as const) {
    const { model } = await served({
      pieces: [sse([messageStart, ...textBlock(0, "Well").slice(0, 2)])],
      after: "hang",
    });
    const abort = new AbortController();
    const running = query({ prompt: "go", tools: [read], model, signal: abort.signal });
    let result: QueryResult | undefined;
    for await (const event of running) {
      if (event.type === "text") abort.abort(reason);
      if (event.type === "ended") ({ result } = event);
    }
    expect(result?.reason).toBe("aborted_streaming");
    expect(result?.messages.at(-1)?.content).toEqual(last);
  }
});

test("D13: a hook that ends the turn ends the loop, and the result says why", async () => {
  const { model } = await served(calls("a"));
  const { result } = await run({ model, hooks: { postToolUse: () => ({ endTurn: "enough for today" }) } });
  expect(result).toMatchObject({ reason: "hook_stopped", detail: "enough for today", turns: 1 });
});

test("changes of the context last into the next turn", async () => {
  const seen: string[] = [];
  const cd = defineTool({
    name: "Cd",
    description: "Changes the folder",
    inputSchema: z.object({}).loose(),
    call(_input, { cwd, change }) {
      seen.push(cwd);
      change((context) => ({ ...context, cwd: `${context.cwd}/sub` }));
    },
  });
  const turn = (id: string) => [{ type: "tool_use", id, name: "Cd", input: {} }];
  await run({
    model: scripted([turn("1"), turn("2"), [{ type: "text", text: "ok" }]]),
    tools: [cd],
    cwd: "/work",
  });
  expect(seen).toEqual(["/work", "/work/sub"]);
});

test("a broken history is repaired before it is sent, and a notice says so", async () => {
  const { model } = await served(said("Fine."));
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "lost", name: "Read", input: {} }] },
  ] as const;
  const { events, result } = await run({ model, messages });
  expect(result.reason).toBe("completed");
  expect(events.find(({ type }) => type === "notice")).toMatchObject({
    message: expect.stringContaining("call lost had no result"),
  });
});

test("a tool whose schema cannot be converted to JSON Schema throws", () => {
  const inputSchema = {
    "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) },
  } as const;
  const odd = defineTool({ name: "Odd", description: "", inputSchema, call: () => "" });
  expect(() => query({ prompt: "go", model: scripted([]), tools: [odd] })).toThrow(
    'The input schema of tool "Odd" cannot be converted to JSON Schema, which the model needs.',
  );
});

test("tools that change between turns are offered as they are at each turn", async () => {
  const offered: string[][] = [];
  let more = [{ ...read, name: "Early" }];
  const turns = [1, 2].map((turn) => (request: { tools: readonly { name: string }[] }) => {
    offered.push(request.tools.map(({ name }) => name));
    more = [{ ...read, name: "Late" }];
    return turn === 1
      ? [{ type: "tool_use", id: "1", name: "Early", input: { file_path: "a" } }]
      : [{ type: "text", text: "Done." }];
  });
  const { result } = await run({ model: scripted(turns), moreTools: () => more });
  expect(offered).toEqual([
    ["Read", "Early"],
    ["Read", "Late"],
  ]);
  expect(JSON.stringify(result.messages)).toContain("content of a");
});

test("leaving the events early stops the calls, and the next request is not sent", async () => {
  let requests = 0;
  let running = 0;
  const model: Model = {
    name: "m",
    async *stream() {
      requests++;
      const call = { id: `${requests}`, name: "Wait", input: {} };
      yield { type: "call-complete", call };
      yield { type: "block", block: { type: "tool_use", ...call } };
      yield { type: "stopped", reason: "tool_use", detail: "" };
    },
  };
  const wait = defineTool({
    name: "Wait",
    description: "Waits",
    inputSchema: z.object({}),
    call: (_input, { signal }) => {
      running++;
      return new Promise<string>((resolve) =>
        signal.addEventListener("abort", () => {
          running--;
          resolve("stopped");
        }),
      );
    },
  });
  for await (const event of query({ model, tools: [wait], prompt: "go" }))
    if (event.type === "call-started") break;
  // It was stopped, or kept from starting.
  expect([running, requests]).toEqual([0, 1]);
});

test("a query whose events nobody reads does nothing, and leaving it does not start it", async () => {
  let requests = 0;
  const model: Model = {
    name: "m",
    stream: () => (requests++, scripted([]).stream({} as never, {} as never)),
  };
  const events = query({ model, tools: [], prompt: "go" });
  await new Promise((resolve) => setImmediate(resolve));
  expect((await events.return({} as QueryResult)).done).toBe(true);
  expect((await events.next()).done).toBe(true);
  expect(requests).toBe(0);
});
