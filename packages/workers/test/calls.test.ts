import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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

test("a call's output is what the tool gave, undefined too", async () => {
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

test("an output that cannot be sent is told as such: the call has run", async () => {
  const texts = [];
  for (const what of ["map", "bigint", "bytes"])
    texts.push((await callTool(tools, ["Odd", { what }])).error?.message);
  expect(texts).toEqual([
    "It ran, but its output cannot be sent: `inside` is a Map, which is not JSON.",
    "It ran, but its output cannot be sent: `inside` is a bigint, which is not JSON.",
    "It ran, but its output cannot be sent: `inside` is binary data, which is not JSON.",
  ]);
});

test("reports arrive live, in order, all before the output", async () => {
  const at: number[] = [];
  const begun = performance.now();
  const onProgress = (): void => void at.push(performance.now() - begun);
  const called = await callTool(tools, ["Talk", { count: 5, everyMs: 100 }], { onProgress });
  const contents = called.progress.map((data) => (data as { content: string }).content);
  expect([called.output, contents]).toEqual([5, ["0.", "1.", "2.", "3.", "4."]]);
  // The first came while the tool had most of its work before it.
  expect(at[0]).toBeLessThan((at[4] as number) - 200);
});

test("a flood of reports is cut, told, and does not hold up the answer", async () => {
  const called = await callTool(tools, ["Talk", { count: 5_000, everyMs: 0, size: 200 }]);
  expect(called.output).toBe(5_000);
  expect(called.progress.length).toBeLessThan(1_000);
  expect(statuses(called)).toEqual([expect.stringMatching(/^\d+ reports were left out\.$/)]);
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

test("an output over the worker's limit is refused in words", async () => {
  const small = await startWorker({
    ...{ tools: TOOLS, connection: server.url, queue: "small", maxOutputBytes: 300_000 },
  });
  const remotes = remote(TOOLS, { connection: server.url, queue: "small" });
  const { error } = await callTool(remotes, ["Large", { chars: 400_000 }]);
  expect(error?.message).toMatch(
    /^It ran, but its output of \d+ bytes is more than the worker sends \(300000\)\.$/,
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

test("what a call changes of the context holds here", async () => {
  const { output, cwd } = await callTool(tools, ["Folder", { to: "/there" }], { cwd: "/here" });
  expect([output, cwd]).toEqual([{ cwd: "/here", pid: process.pid }, "/there"]);
});

test("through the engine it is like a local tool: order, hooks and results, and nothing unpermitted reaches a worker", async () => {
  await pause(1_500);
  const before = await endedCalls();
  const canUseTool = (tool: AnyTool): { behavior: "allow" | "deny"; reason: string } => ({
    behavior: tool.name === "Mark" ? "deny" : "allow",
    reason: "not here",
  });
  const executor = new StreamingToolExecutor({ tools, canUseTool });
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
  await pause(1_500);
  expect((await endedCalls()) - before).toBe(2);
});

async function endedCalls(): Promise<number> {
  const { workers } = await fleet({ connection: server.url, queue: "calls" });
  return workers.reduce((sum, { ended }) => sum + ended, 0);
}

test("a tool of another version, or one that a worker has not registered, is refused", async () => {
  const other = remote(TOOLS, { connection: server.url, queue: "calls", release: "2" });
  expect((await callTool(other, ["Add", { a: 1, b: 2 }])).error?.message).toMatch(
    /^Not run: the worker has another version of Add \(\w+\) than the caller \(\w+\)\.$/,
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

test("the worker checks the input too: what the caller let through is refused there", async () => {
  const lax = TOOLS.map((tool) => ({ ...tool }));
  const remotes = remote(lax, { connection: server.url, queue: "calls" });
  expect((await callTool(remotes, ["Add", { a: "1", b: 2 }])).error?.message).toMatch(
    /^Not run: the worker's schema of Add refuses this input: a .*number/,
  );
  await remotes.close();
});

test("input that is too large or cannot be sent is not sent", async () => {
  const huge = { file: "", line: "x".repeat(17 * 1024 * 1024) };
  expect((await callTool(tools, ["Mark", huge])).error?.message).toMatch(
    /^Not run: its input of \d+ bytes is larger/,
  );
  expect((await callTool(tools, ["Mark", { file: 1n }])).error?.message).toBe(
    "Not run: its input cannot be sent: `file` is a bigint, which is not JSON.",
  );
});

test("many calls at once: each gets its own answer", async () => {
  const calls = Array.from({ length: 300 }, (_, at) => ["Add", { a: at, b: 1 }] as const);
  const updates = await runCalls(tools, calls);
  const results = updates.flatMap((update) => (update.type === "result" ? [update.result] : []));
  expect(results.map(({ content }) => content)).toEqual(calls.map((_, at) => String(at + 1)));
});

test("wrong use is told at once", async () => {
  const connection = server.url;
  expect(() => remote(TOOLS, { connection, queue: "a:b" })).toThrow(/^The name of a queue must be/);
  expect(() => remote(TOOLS, { connection, queue: "a", tries: 0 })).toThrow(
    "tries must be 1 or more, not 0.",
  );
  expect(() => remote(TOOLS, { connection, queue: "a", waitMs: Number.NaN })).toThrow(
    "waitMs must be above 0",
  );
  expect(() => remote(TOOLS, { connection, queue: "a", workspace: "/x" })).toThrow(
    /^The name of a workspace/,
  );
  const start = (more: object): Promise<unknown> =>
    startWorker({ tools: TOOLS, connection, queue: "a", ...more });
  await expect(start({ concurrency: 0 })).rejects.toThrow("concurrency must be 1 to 1000, not 0.");
  await expect(start({ tools: [] })).rejects.toThrow("A worker needs at least one tool.");
  await expect(start({ tools: [TOOLS[0], TOOLS[0]] })).rejects.toThrow(
    'startWorker: two tools are called "Add".',
  );
  await expect(start({ tools: [{ ...TOOLS[0], inputSchema: {} }] })).rejects.toThrow(/plain JSON Schema/);
});

test("a server that may forget calls is noticed when a worker starts", async () => {
  const forgetful = await redisServer("--appendonly", "no", "--maxmemory-policy", "allkeys-lru");
  const told: string[] = [];
  const onNotice = (message: string): void => void told.push(message);
  const one = await startWorker({ tools: TOOLS, connection: forgetful.url, queue: "q", onNotice });
  expect(told).toEqual([
    "The server throws keys away when it is full (allkeys-lru). Set maxmemory-policy noeviction.",
    "The server has no append-only file: what it knows is lost when it ends. Set appendonly yes.",
  ]);
  await one.drain();
  await forgetful.close();
});

test.concurrent("the worker keeps the time limit, with what was printed; a tool that does not stop is no longer waited for", async () => {
  const late = await callTool(tools, ["Stubborn", { waitMs: 600 }]);
  expect(late.error?.message).toMatch(
    /^Stopped after \d\.\d s: it reached its time limit of 0\.3 s\. It may have had effects\.\nIts output so far:\nbegun$/,
  );
  const abandoned = await callTool(tools, ["Stubborn", { waitMs: 6_000 }]);
  expect(abandoned.error?.message).toMatch(/It did not react to being stopped and may still be running\.$/);
});

test.concurrent("a call that is stopped while it waits has not run, and never will", async () => {
  const abort = new AbortController();
  const remotes = remote(TOOLS, { connection: server.url, queue: "nobody" });
  const file = join(folder, "stopped");
  const stopping = callTool(remotes, ["Mark", { file, line: "x" }], { signal: abort.signal });
  await pause(300);
  abort.abort();
  const { error, progress } = await stopping;
  expect(error?.message).toBe("Not run: it was stopped before any worker began it.");
  expect(progress).toContainEqual({
    type: "output",
    content: "It had not begun on any worker, and will not.\n",
  });
  const late = await startWorker({ tools: TOOLS, connection: server.url, queue: "nobody" });
  expect((await callTool(remotes, ["Add", { a: 1, b: 1 }])).output).toBe(2);
  expect(existsSync(file)).toBe(false);
  await remotes.close();
  await late.drain();
});

test.concurrent("a call that no worker takes in time is answered as not run, and was told what it waits for", async () => {
  const remotes = remote(TOOLS, { connection: server.url, queue: "empty", waitMs: 2_500 });
  const called = await callTool(remotes, ["Add", { a: 1, b: 2 }]);
  expect(called.error?.message).toBe("Not run: no worker took it within 2.5 s.");
  expect(statuses(called)).toEqual(["Waiting for a worker on the queue empty: there is none."]);
  await remotes.close();
});

test.concurrent("a server that is not there is told, and the call has not run", async () => {
  const port = await freePort();
  const connection = `redis://127.0.0.1:${port}`;
  const remotes = remote(TOOLS, { connection, queue: "away", waitMs: 1_500 });
  const called = await callTool(remotes, ["Add", { a: 1, b: 2 }]);
  expect(called.error?.message).toMatch(
    new RegExp(`^Not run: the server at 127\\.0\\.0\\.1:${port} cannot be reached: .*ECONNREFUSED`),
  );
  expect(statuses(called)).toEqual([expect.stringMatching(/^Waiting for the server at 127.*ECONNREFUSED/)]);
  await remotes.close();
  await expect(startWorker({ tools: TOOLS, connection, queue: "away" })).rejects.toThrow(/cannot be reached/);
});

test.concurrent("a password is the server's own, and a wrong one is told", async () => {
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
    waitMs: 1_000,
  });
  expect((await callTool(wrong, ["Add", { a: 2, b: 2 }])).error?.message).toMatch(/WRONGPASS/);
  await wrong.close();
  await remotes.close();
  await one.drain();
  await guarded.close();
});

test.concurrent("calls that run beside each other are at most as many as the worker was told", async () => {
  const one = await startWorker({ tools: TOOLS, connection: server.url, queue: "narrow", concurrency: 2 });
  const remotes = remote(TOOLS, { connection: server.url, queue: "narrow" });
  const file = join(folder, "narrow");
  const calls = Array.from({ length: 6 }, (_, at) =>
    callTool(remotes, ["Look", { file, line: String(at), waitMs: 400 }]),
  );
  await pause(250);
  expect(readFileSync(file, "utf8").split("\n").length - 1).toBeLessThanOrEqual(2);
  await Promise.all(calls);
  await remotes.close();
  await one.drain();
});
