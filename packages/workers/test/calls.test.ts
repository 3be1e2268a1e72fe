import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyTool, StreamingToolExecutor, type Update, defineTool } from "@runahead/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type RemoteTools, type RunningWorker, fleet, remote, startWorker } from "../src/index.ts";
import { callTool, runCalls, statuses } from "./support/calling.ts";
import { until } from "./support/ledger.ts";
import { type RedisServer, freePort, redisServer } from "./support/redis-server.ts";
import { TOOLS } from "./support/tools.ts";

let server: RedisServer;
let worker: RunningWorker;
let tools: RemoteTools;
let folder = "";
const notices: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runahead-workers-"));
  server = await redisServer();
  const onNotice = (message: string): void => void notices.push(message);
  worker = await startWorker({
    tools: TOOLS,
    connection: server.url,
    queue: "calls",
    concurrency: 8,
    onNotice,
  });
  tools = remote(TOOLS, { connection: server.url, queue: "calls" });
});

afterAll(async () => {
  await tools?.close();
  await worker?.stop();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
  expect(notices).toEqual([]);
});

test("a call's output is what the tool returned, also undefined", async () => {
  expect(await callTool(tools, ["Add", { a: 1, b: 2 }])).toEqual({
    output: 3,
    error: undefined,
    progress: [],
    cwd: "/",
  });
  expect((await callTool(tools, ["Odd", { what: "nothing" }])).output).toBeUndefined();
});

test("an error has the tool's own message and stack, and none of ours", async () => {
  const { error } = await callTool(tools, ["Odd", { what: "error" }]);
  expect([error?.name, error?.message]).toEqual(["RemoteError", "the tool's own words"]);
  const frames = error?.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  expect(frames).toEqual([expect.stringContaining("support/tools.ts")]);
});

test("the error for an output that cannot be sent says that the call has run", async () => {
  const texts = [];
  for (const what of ["map", "bigint", "bytes"])
    texts.push((await callTool(tools, ["Odd", { what }])).error?.message);
  expect(texts).toEqual([
    "The call ran, but its output cannot be sent: `inside` is a Map, which JSON cannot represent.",
    "The call ran, but its output cannot be sent: `inside` is a bigint, which JSON cannot represent.",
    "The call ran, but its output cannot be sent: `inside` is binary data, which JSON cannot represent.",
  ]);
});

test("reports arrive in order, all before the output", async () => {
  const called = await callTool(tools, ["Talk", { count: 5, everyMs: 100 }]);
  const contents = called.progress.flatMap((data) => (data as { content?: string }).content ?? []);
  expect([called.output, contents]).toEqual([5, ["0.", "1.", "2.", "3.", "4."]]);
});

test("reports arrive while the tool is running", async () => {
  const file = join(folder, "reported");
  const onProgress = (): void => writeFileSync(file, "");
  expect((await callTool(tools, ["Until", { file }], { onProgress })).output).toBe("found");
});

test("a flood of reports is cut, which is reported, and does not delay the answer", async () => {
  const called = await callTool(tools, ["Talk", { count: 5_000, everyMs: 0, size: 200 }]);
  expect(called.output).toBe(5_000);
  expect(called.progress.length).toBeLessThan(1_000);
  expect(statuses(called)).toContainEqual(expect.stringMatching(/^\d+ progress reports were dropped\.$/));
});

test("outputs of any size arrive whole: on the edge, in parts, with characters cut between parts", async () => {
  for (const chars of [1, 262_000, 262_142, 262_143, 3_000_001]) {
    const { output } = await callTool(tools, ["Large", { chars }]);
    expect(output === "ä1".repeat(Math.ceil(chars / 2)).slice(0, chars)).toBe(true);
  }
  await until(
    () => server.command("KEYS", "*part*"),
    (keys) => (keys as string[]).length === 0,
  );
});

test("the error for an output over the worker's limit names the limit", async () => {
  const small = await startWorker({
    ...{ tools: TOOLS, connection: server.url, queue: "small", maxOutputBytes: 300_000 },
  });
  const remotes = remote(TOOLS, { connection: server.url, queue: "small" });
  const { error } = await callTool(remotes, ["Large", { chars: 400_000 }]);
  expect(error?.message).toMatch(
    /^The call ran, but its output has \d+ bytes \(limit of the worker: 300000\)\.$/,
  );
  await remotes.close();
  await small.drain();
});

test("F04: stopping a call ends the processes that it has started on the worker", async () => {
  const abort = new AbortController();
  let pid = 0;
  const onProgress = (data: unknown): void => {
    pid = (data as { pid?: number }).pid ?? pid;
    if (pid > 0) abort.abort();
  };
  const { output } = await callTool(tools, ["Process", { seconds: 60 }], {
    signal: abort.signal,
    onProgress,
  });
  expect(output).toBe("null SIGKILL");
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test("a change of the context by a call applies at the caller", async () => {
  const { output, cwd } = await callTool(tools, ["Folder", { to: "/there" }], { cwd: "/here" });
  expect([output, cwd]).toEqual([{ cwd: "/here", pid: process.pid }, "/there"]);
});

test("through the engine it is like a local tool: order, hooks and results, and nothing unpermitted reaches a worker", async () => {
  // A worker of its own, whose count starts at 0: records are only as fresh as the last heartbeat.
  const own = await startWorker({ tools: TOOLS, connection: server.url, queue: "permitted" });
  const remotes = remote(TOOLS, { connection: server.url, queue: "permitted" });
  const canUseTool = (tool: AnyTool): { behavior: "allow" | "deny"; reason: string } => ({
    behavior: tool.name === "Mark" ? "deny" : "allow",
    reason: "not here",
  });
  const executor = new StreamingToolExecutor({ tools: remotes, canUseTool });
  executor.add({ id: "one", name: "Mark", input: { file: join(folder, "denied"), line: "x" } });
  executor.add({ id: "two", name: "Add", input: { a: 1, b: 2 } });
  executor.add({ id: "three", name: "Add", input: { a: "1" } });
  executor.add({ id: "four", name: "Odd", input: { what: "error" } });
  executor.end({ ok: true });
  const updates: Update[] = [];
  for await (const update of executor.remaining()) updates.push(update);
  const results = updates.flatMap((update) => (update.type === "result" ? [update.result.content] : []));
  expect(results).toEqual([
    "Not run: denied by permissions. not here",
    "3",
    expect.stringContaining("InputValidationError"),
    expect.stringMatching(/^Error: the tool's own words\n\s+at /),
  ]);
  expect(existsSync(join(folder, "denied"))).toBe(false);
  const ended = async (): Promise<number> => {
    const { workers } = await fleet({ connection: server.url, queue: "permitted" });
    return workers.reduce((sum, one) => sum + one.ended, 0);
  };
  expect(await until(ended, (count) => count >= 2)).toBe(2);
  await remotes.close();
  await own.drain();
});

test("a tool of another version, or one that a worker has not registered, is refused", async () => {
  const other = remote(TOOLS, { connection: server.url, queue: "calls", release: "2" });
  expect((await callTool(other, ["Add", { a: 1, b: 2 }])).error?.message).toMatch(
    /^Not run: the worker has another version of Add \(\w+\) than the caller \(\w+\); deploy the same tools on both\.$/,
  );
  await other.close();
  const more = defineTool({
    name: "More",
    description: "",
    inputSchema: z.object({}),
    call: () => 1,
  }) as AnyTool;
  const remotes = remote([more], { connection: server.url, queue: "calls" });
  expect((await callTool(remotes, ["More", {}])).error?.message).toBe(
    "Not run: this worker has no tool More.",
  );
  await remotes.close();
});

test("the worker validates the input again", async () => {
  const lax = TOOLS.map((tool) => ({ ...tool }));
  const remotes = remote(lax, { connection: server.url, queue: "calls" });
  expect((await callTool(remotes, ["Add", { a: "1", b: 2 }])).error?.message).toMatch(
    /^Not run: the worker's schema of Add rejects this input: a .*number/,
  );
  await remotes.close();
});

test("input that is too large or cannot be sent is not sent", async () => {
  const huge = { file: "", line: "x".repeat(17 * 1024 * 1024) };
  expect((await callTool(tools, ["Mark", huge])).error?.message).toMatch(
    /^Not run: its input has \d+ bytes \(limit: 16777216\)\.$/,
  );
  expect((await callTool(tools, ["Mark", { file: 1n }])).error?.message).toBe(
    "Not run: its input cannot be sent: `file` is a bigint, which JSON cannot represent.",
  );
});

test("many calls at once: each gets its own answer", async () => {
  const calls = Array.from({ length: 300 }, (_, at) => ["Add", { a: at, b: 1 }] as const);
  const updates = await runCalls(tools, calls);
  const results = updates.flatMap((update) => (update.type === "result" ? [update.result] : []));
  expect(results.map(({ content }) => content)).toEqual(calls.map((_, at) => String(at + 1)));
});

test("invalid options are rejected at once", async () => {
  const connection = server.url;
  expect(() => remote(TOOLS, { connection, queue: "a:b" })).toThrow(/^The name of a queue must be/);
  expect(() => remote(TOOLS, { connection, queue: "a", tries: 0 })).toThrow(
    'remote: "tries" must be a whole number of 1 or more, got 0.',
  );
  expect(() => remote(TOOLS, { connection, queue: "a", waitMs: Number.NaN })).toThrow(
    'remote: "waitMs" must be above 0, got NaN.',
  );
  expect(() => remote(TOOLS, { connection, queue: "a", workspace: "/x" })).toThrow(
    /^The name of a workspace/,
  );
  const start = (more: object): Promise<unknown> =>
    startWorker({ tools: TOOLS, connection, queue: "a", ...more });
  await expect(start({ concurrency: 0 })).rejects.toThrow(
    'startWorker: "concurrency" must be a whole number from 1 to 1000, got 0.',
  );
  await expect(start({ tools: [] })).rejects.toThrow("A worker needs at least one tool.");
  await expect(start({ tools: [TOOLS[0], TOOLS[0]] })).rejects.toThrow(
    'startWorker: two tools are called "Add".',
  );
  await expect(start({ tools: [{ ...TOOLS[0], inputSchema: {} }] })).rejects.toThrow(/plain JSON Schema/);
});

test("a worker that starts warns about a server that can lose calls", async () => {
  const forgetful = await redisServer("--appendonly", "no", "--maxmemory-policy", "allkeys-lru");
  const warnings: string[] = [];
  const onNotice = (message: string): void => void warnings.push(message);
  const one = await startWorker({ tools: TOOLS, connection: forgetful.url, queue: "q", onNotice });
  expect(warnings).toEqual([
    "Redis evicts keys when its memory is full (maxmemory-policy allkeys-lru), so calls can get lost. Set maxmemory-policy noeviction.",
    "Redis has no append-only file, so calls are lost when it restarts. Set appendonly yes.",
  ]);
  await one.drain();
  await forgetful.close();
});

test.concurrent("the worker enforces the time limit and returns the output so far; a tool that does not stop is abandoned", async () => {
  const late = await callTool(tools, ["Stubborn", { waitMs: 600 }]);
  expect(late.error?.message).toMatch(
    /^Stopped after \d+\.\d s: it reached its time limit of 0\.3 s\. It may have had effects\.\nIts output so far:\nbegun$/,
  );
  const abandoned = await callTool(tools, ["Stubborn", { waitMs: 6_000 }]);
  expect(abandoned.error?.message).toMatch(/It did not stop and may still be running\.$/);
});

test.concurrent("a call that is stopped while it waits has not run, and never will", async () => {
  const abort = new AbortController();
  const remotes = remote(TOOLS, { connection: server.url, queue: "nobody" });
  const file = join(folder, "stopped");
  // The status says that the queue has it: before that, a call is stopped in another way.
  const onProgress = (data: unknown): void => {
    const { message } = data as { message?: string };
    if (message?.startsWith("Waiting for a worker") === true) abort.abort();
  };
  const { error, progress } = await callTool(remotes, ["Mark", { file, line: "x" }], {
    signal: abort.signal,
    onProgress,
  });
  expect(error?.message).toBe("Not run: it was stopped before any worker started it.");
  expect(progress).toContainEqual({
    type: "output",
    content: "No worker has started it, and none will.\n",
  });
  const late = await startWorker({ tools: TOOLS, connection: server.url, queue: "nobody" });
  expect((await callTool(remotes, ["Add", { a: 1, b: 1 }])).output).toBe(2);
  expect(existsSync(file)).toBe(false);
  await remotes.close();
  await late.drain();
});

test.concurrent("a call that no worker takes in time is not run, and its status says what it waits for", async () => {
  const remotes = remote(TOOLS, { connection: server.url, queue: "empty", waitMs: 4_000 });
  const called = await callTool(remotes, ["Add", { a: 1, b: 2 }]);
  expect(called.error?.message).toBe("Not run: no worker took it within 4 s.");
  expect(statuses(called)).toContain("Waiting for a worker on queue empty (no worker is running).");
  await remotes.close();
});

test.concurrent("a server that cannot be reached is reported, and the call has not run", async () => {
  const port = await freePort();
  const connection = `redis://127.0.0.1:${port}`;
  const remotes = remote(TOOLS, { connection, queue: "away", waitMs: 3_000 });
  const called = await callTool(remotes, ["Add", { a: 1, b: 2 }]);
  expect(called.error?.message).toMatch(
    new RegExp(`^Not run: cannot connect to the Redis server at 127\\.0\\.0\\.1:${port}: connection refused`),
  );
  expect(statuses(called)).toEqual([expect.stringMatching(/^Waiting for the Redis server at 127/)]);
  await remotes.close();
  await expect(startWorker({ tools: TOOLS, connection, queue: "away" })).rejects.toThrow(
    /^Cannot connect to the Redis server at/,
  );
});

test.concurrent("the server's password works, and a wrong one is reported", async () => {
  const guarded = await redisServer("--requirepass", "secret");
  const right = `redis://:secret@127.0.0.1:${guarded.port}`;
  const one = await startWorker({ tools: TOOLS, connection: right, queue: "guarded" });
  const remotes = remote(TOOLS, {
    connection: { host: "127.0.0.1", port: guarded.port, password: "secret" },
    queue: "guarded",
  });
  expect((await callTool(remotes, ["Add", { a: 2, b: 2 }])).output).toBe(4);
  const wrong = remote(TOOLS, {
    connection: `redis://:no@127.0.0.1:${guarded.port}`,
    queue: "guarded",
    waitMs: 3_000,
  });
  expect((await callTool(wrong, ["Add", { a: 2, b: 2 }])).error?.message).toMatch(/WRONGPASS/);
  await wrong.close();
  await remotes.close();
  await one.drain();
  await guarded.close();
});

test.concurrent("a worker runs at most as many calls at once as its concurrency", async () => {
  let running = 0;
  let most = 0;
  const counting = defineTool({
    name: "Count",
    description: "",
    inputSchema: z.object({}),
    access: () => [],
    call: async () => {
      most = Math.max(most, ++running);
      await pause(100);
      return --running;
    },
  }) as AnyTool;
  const place = { connection: server.url, queue: "narrow" };
  const one = await startWorker({ ...place, tools: [counting], concurrency: 2 });
  const remotes = remote([counting], place);
  await Promise.all(Array.from({ length: 6 }, () => callTool(remotes, ["Count", {}])));
  expect(most).toBe(2);
  await remotes.close();
  await one.drain();
});
