import { getEventListeners } from "node:events";
import { createAnthropic } from "@ai-sdk/anthropic";
import type { EngineEvent } from "@runahead/engine";
import { type ModelMessage, type ToolSet, generateText, stepCountIs, streamText, tool } from "ai";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../agent/test/support/until.ts";
import { z } from "zod";
import { sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import {
  type SteppedAnswer,
  type SteppedServer,
  moment,
  steppedServer,
} from "../../../agent/test/support/stepped-server.ts";
import { type EarlyOptions, early, stopEarly } from "./early.ts";

const open: SteppedServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function model(...answers: readonly SteppedAnswer[]) {
  const server = await steppedServer(...answers);
  open.push(server);
  return { server, claude: createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" })("claude-test") };
}

const begin = sse([messageStart]);
const finish = (reason = "tool_use"): string => sse(messageEnd(reason));
const call = (index: number, name: string, input: object, id = `toolu_${index}`): string =>
  sse([
    { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } },
    {
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    },
    { type: "content_block_stop", index },
  ]);
const done: SteppedAnswer = () => [begin + sse(textBlock(0, "Done.")) + finish("end_turn")];

const file = z.object({ path: z.string() });
const atPath = (mode: "read" | "write") => ({
  isReadOnly: () => mode === "read",
  access: ({ path }: Record<string, unknown>) => [{ mode, place: `memory:/${String(path)}` }],
});

interface Talk {
  readonly tools: ToolSet;
  readonly signal?: AbortSignal;
  readonly onError?: (error: unknown) => void;
}

/** An unchanged `streamText`, read to its end: every part of the stream but the words, in short. */
async function talk(claude: Parameters<typeof streamText>[0]["model"], { tools, signal, onError }: Talk) {
  const seen: unknown[] = [];
  const result = streamText({
    model: claude,
    tools,
    prompt: "go",
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    onError: ({ error }) => onError?.(error),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  });
  try {
    for await (const part of result.fullStream) {
      if (part.type === "tool-result")
        seen.push([part.toolCallId, part.preliminary === true ? "so far" : "result", part.output]);
      if (part.type === "tool-error") seen.push([part.toolCallId, "error", (part.error as Error).message]);
      if (part.type === "tool-approval-request") seen.push([part.toolCall.toolCallId, "approval"]);
      if (part.type === "error" || part.type === "abort") seen.push([part.type]);
    }
  } catch (error) {
    seen.push(["broke off"]);
    onError?.(error);
  }
  return seen;
}

/** What the model reads about the calls of its last turn. */
function results(server: SteppedServer): unknown[] {
  const messages = server.requests.at(-1)?.["messages"] as { content: { type: string }[] }[];
  return (messages.at(-1)?.content ?? []).filter(({ type }) => type === "tool_result");
}

test("a call starts while the response streams, runs once, and the SDK gets its output", async () => {
  const started = moment();
  const runs: unknown[] = [];
  const read = tool({
    inputSchema: file.extend({ lines: z.int().default(3) }),
    execute: async (input, { toolCallId, messages, abortSignal, experimental_context }) => {
      runs.push([input, toolCallId, messages.length, abortSignal?.aborted, experimental_context]);
      started.reach();
      return { text: "hello" };
    },
    toModelOutput: ({ output }) => ({ type: "text", value: `It says ${output.text}.` }),
  });
  const { server, claude } = await model(async function* () {
    yield begin + call(0, "read", { path: "a" });
    // Without an early start this would wait for ever.
    await started.reached;
    yield sse(textBlock(1, "And so on.")) + finish();
  }, done);
  expect(await talk(claude, { tools: early({ read }) })).toEqual([["toolu_0", "result", { text: "hello" }]]);
  expect(runs).toEqual([[{ path: "a", lines: 3 }, "toolu_0", 1, false, undefined]]);
  expect(results(server)).toMatchObject([{ tool_use_id: "toolu_0", content: "It says hello." }]);
});

/** A tool whose calls end when the test says so, and what was under way when each began. */
function noted() {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const execute = async ({ path }: { path: string }, { toolCallId }: { toolCallId: string }) => {
    log.push(`begin ${toolCallId}`);
    await new Promise<void>((resolve) => void ends.set(toolCallId, resolve));
    log.push(`end ${toolCallId}`);
    return path;
  };
  const end = async (id: string): Promise<void> => {
    await until(() => ends.has(id));
    ends.get(id)?.();
    await until(() => log.includes(`end ${id}`));
  };
  return { log, end, edit: tool({ inputSchema: file, execute }), read: tool({ inputSchema: file, execute }) };
}

/** Rows whose order says nothing. */
function sorted(rows: readonly unknown[]): unknown[] {
  return rows.toSorted((one, other) => (String(one) < String(other) ? -1 : 1));
}

test("calls that touch the same place run in the model's order, the others in parallel", async () => {
  const { log, end, edit, read } = noted();
  const { claude } = await model(async function* () {
    yield begin +
      call(0, "edit", { path: "a" }) +
      call(1, "edit", { path: "b" }) +
      call(2, "read", { path: "a" });
    await until(() => log.length >= 2);
    yield finish();
  }, done);
  const declare = { edit: atPath("write"), read: atPath("read") };
  const talking = talk(claude, { tools: early({ edit, read }, { declare }) });
  await end("toolu_1");
  await end("toolu_0");
  await end("toolu_2");
  expect(log).toEqual([
    "begin toolu_0",
    "begin toolu_1",
    "end toolu_1",
    "end toolu_0",
    "begin toolu_2",
    "end toolu_2",
  ]);
  expect(sorted(await talking)).toEqual([
    ["toolu_0", "result", "a"],
    ["toolu_1", "result", "b"],
    ["toolu_2", "result", "a"],
  ]);
});

test("without declarations calls run one at a time, and the limit applies", async () => {
  let running = 0;
  let most = 0;
  const execute = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
  };
  const six = () => [begin + [0, 1, 2, 3, 4, 5].map((at) => call(at, "go", {})).join("") + finish()];
  const mostOf = async (options: EarlyOptions<"go">): Promise<number> => {
    most = 0;
    const { claude } = await model(six, done);
    await talk(claude, { tools: early({ go: tool({ inputSchema: z.object({}), execute }) }, options) });
    return most;
  };
  expect(await mostOf({})).toBe(1);
  expect(await mostOf({ declare: { go: { isReadOnly: () => true } } })).toBe(6);
  expect(await mostOf({ declare: { go: { isReadOnly: () => true } }, limit: 2 })).toBe(2);
});

test("each step has its own calls, even if the model reuses ids", async () => {
  const seen: string[] = [];
  const read = tool({
    inputSchema: file,
    execute: async ({ path }) => {
      seen.push(path);
      return path;
    },
  });
  const step = (path: string) => () => [begin + call(0, "read", { path }) + finish()];
  const { server, claude } = await model(step("a"), step("b"), step("c"), done);
  expect(await talk(claude, { tools: early({ read }) })).toEqual(
    ["a", "b", "c"].map((path) => ["toolu_0", "result", path]),
  );
  expect([seen, server.requests.length]).toEqual([["a", "b", "c"], 4]);
});

test("a denied call does not run, and the model reads who denied it and why", async () => {
  let runs = 0;
  const pay = tool({ inputSchema: z.object({ amount: z.number() }), execute: async () => ++runs });
  const two = () => [begin + call(0, "pay", { amount: 1 }) + call(1, "pay", { amount: 100 }) + finish()];
  const { server, claude } = await model(two, done);
  const tools = early(
    { pay },
    {
      canUseTool: async (_tool, input) =>
        (input as { amount: number }).amount > 10
          ? { behavior: "ask", reason: "A lot." }
          : { behavior: "allow" },
      ask: async ({ reason }) => ({ behavior: "deny", message: `No: ${reason}` }),
    },
  );
  const refused = "Not run: the user denied this call and said: No: A lot.";
  expect(sorted(await talk(claude, { tools }))).toEqual([
    ["toolu_0", "result", 1],
    ["toolu_1", "error", refused],
  ]);
  expect(results(server)).toMatchObject([{ content: "1" }, { content: refused, is_error: true }]);
  expect(runs).toBe(1);
});

test("a verdict that arrives a little later still lets the call start before the response has ended", async () => {
  const started = moment();
  const read = tool({ inputSchema: file, execute: async () => started.reach() });
  const { claude } = await model(async function* () {
    yield begin + call(0, "read", { path: "a" });
    await started.reached;
    yield finish();
  }, done);
  const canUseTool = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return { behavior: "allow" } as const;
  };
  expect(await talk(claude, { tools: early({ read }, { canUseTool }) })).toHaveLength(1);
});

/** A response with two edits of one file, broken off while the first runs; what is known when that has ended. */
async function broken(options: EarlyOptions<"edit" | "read">, ends: "break" | "max_tokens") {
  const { log, end, edit, read } = noted();
  const heard: unknown[] = [];
  const onEvent = (event: EngineEvent): void => {
    if (event.type === "call-changed" && event.state === "running") heard.push([event.callId, "running"]);
    if (event.type === "call-settled") heard.push([event.callId, event.outcome.type]);
  };
  const { claude } = await model(async function* () {
    yield begin +
      call(0, "edit", { path: "a" }) +
      call(1, "edit", { path: "a" }) +
      call(2, "read", { path: "b" });
    await until(() => log.includes("begin toolu_2"));
    if (ends === "break") throw new Error("the line is dead");
    yield finish(ends);
  });
  const declare = { edit: atPath("write"), read: atPath("read") };
  const seen = await talk(claude, { tools: early({ edit, read }, { declare, onEvent, ...options }) });
  for (const begun of log.filter((line) => line.startsWith("begin ")))
    await end(begun.slice("begin ".length));
  // What could still start wrongly has the time to.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { seen, log, heard };
}

test("after a response that broke off, or that the SDK ignores, nothing starts", async () => {
  for (const ends of ["break", "max_tokens"] as const) {
    const { seen, log, heard } = await broken({}, ends);
    expect(log).toEqual(["begin toolu_0", "begin toolu_2", "end toolu_0", "end toolu_2"]);
    expect(seen).toEqual(ends === "break" ? [["broke off"]] : []);
    expect(heard).toEqual([
      ["toolu_0", "running"],
      ["toolu_2", "running"],
      ["toolu_0", "succeeded"],
      ["toolu_2", "succeeded"],
    ]);
  }
});

test("with `reads`, calls that write do not start before the response has ended normally", async () => {
  const { log } = await broken({ start: "reads" }, "break");
  expect(log).toEqual(["begin toolu_2", "end toolu_2"]);
  const { edit, read, end, log: begun } = noted();
  const { claude } = await model(
    () => [begin + call(0, "edit", { path: "a" }) + call(1, "read", { path: "b" }) + finish()],
    done,
  );
  const declare = { edit: atPath("write"), read: atPath("read") };
  const talking = talk(claude, { tools: early({ edit, read }, { declare, start: "reads" }) });
  await end("toolu_0");
  await end("toolu_1");
  expect(begun.slice(0, 2)).toEqual(["begin toolu_1", "begin toolu_0"]);
  expect(await talking).toHaveLength(2);
});

/** A tool that runs until it is asked to stop. */
function endless() {
  const begun = moment();
  const stopped = moment();
  const watch = tool({
    inputSchema: z.object({}),
    execute: (_input, { abortSignal }) =>
      new Promise((_resolve, reject) => {
        begun.reach();
        abortSignal?.addEventListener("abort", () => {
          stopped.reach();
          reject(new Error("stopped"));
        });
      }),
  });
  return { begun, stopped, watch };
}

function fail(error: Error): never {
  throw error;
}

const twoWatches = begin + call(0, "watch", {}) + call(1, "watch", {});

test("an abort stops running calls, prevents the others from starting, and reports which is which", async () => {
  const { begun, stopped, watch } = endless();
  let isWritten = false;
  const write = tool({
    inputSchema: z.object({}),
    execute: async () => {
      isWritten = true;
    },
  });
  const controller = new AbortController();
  const { claude } = await model(async function* () {
    yield begin + call(0, "watch", {}) + call(1, "write", {}) + call(2, "queued", {});
    await Promise.all([begun.reached, arrived.reached]);
    controller.abort();
    await stopped.reached;
  });
  const heard: unknown[] = [];
  const arrived = moment();
  const onEvent = (event: EngineEvent): void => {
    if (event.type === "call-changed" && event.callId === "toolu_2") arrived.reach();
    if (event.type === "call-settled" && event.outcome.type === "aborted")
      heard.push([event.callId, event.outcome.effect]);
  };
  // One that runs, one that is held back, and one that waits for the first.
  const declare = { watch: { isReadOnly: () => true, access: () => [] }, write: { access: () => [] } };
  const tools = early({ watch, write, queued: write }, { onEvent, declare, start: "reads" });
  expect(await talk(claude, { tools, signal: controller.signal })).toEqual([["abort"]]);
  await until(() => heard.length === 3);
  expect(sorted(heard)).toEqual([
    ["toolu_0", "unknown"],
    ["toolu_1", "none"],
    ["toolu_2", "none"],
  ]);
  expect(isWritten).toBe(false);
});

test("a tool that looks at its signal after the abort sees it", async () => {
  const [begun, aborted, seen] = [moment(), moment(), moment()];
  const reasons: unknown[] = [];
  const watch = tool({
    inputSchema: z.object({}),
    execute: async (_input, options) => {
      begun.reach();
      await aborted.reached;
      reasons.push(options.abortSignal?.aborted, { ...options }.abortSignal?.reason);
      seen.reach();
    },
  });
  const controller = new AbortController();
  const { claude } = await model(async function* () {
    yield begin + call(0, "watch", {});
    await begun.reached;
    controller.abort("enough");
    aborted.reach();
    await seen.reached;
  });
  const declare = { watch: { isReadOnly: () => true, access: () => [] } };
  await talk(claude, { tools: early({ watch }, { declare }), signal: controller.signal });
  await seen.reached;
  expect(reasons).toEqual([true, expect.anything()]);
});

test("stopEarly stops the running calls of a response that broke off", async () => {
  const { begun, stopped, watch } = endless();
  const { claude } = await model(async function* () {
    yield twoWatches;
    await begun.reached;
    throw new Error("the line is dead");
  });
  const tools = early({ watch });
  expect(await talk(claude, { tools, onError: () => stopEarly(tools) })).toEqual([["broke off"]]);
  await stopped.reached;
});

test("an error of a tool reaches the SDK unchanged, and a time limit as an EarlyError", async () => {
  const broke = Object.assign(new Error("broken"), { code: 7 });
  const fails = tool({ inputSchema: z.object({}), execute: (): string => fail(broke) });
  const { watch } = endless();
  const both = () => [begin + call(0, "fails", {}) + call(1, "watch", {}) + finish()];
  const { claude } = await model(both, done);
  const tools = early({ fails, watch }, { declare: { watch: { timeoutMs: () => 20 } } });
  const seen = await talk(claude, { tools });
  expect(seen[0]).toEqual(["toolu_0", "error", "broken"]);
  expect((seen[1] as string[])[2]).toMatch(/^Stopped after .* s: it reached its time limit of 0\.02 s\./);
  await expect(tools.fails.execute?.({}, { toolCallId: "by hand", messages: [] })).rejects.toBe(broke);
});

test("a tool that yields several values passes them on as they arrive, and the last one is the result", async () => {
  const next = moment();
  const count = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield "one";
      yield "two";
      await next.reached;
      yield "three";
    },
  });
  const { claude } = await model(() => [begin + call(0, "count", {}) + finish()], done);
  const { count: counted } = early({ count });
  const join = counted.execute as (...given: unknown[]) => AsyncIterable<string>;
  const execute = (...given: unknown[]): AsyncIterable<string> => {
    setTimeout(() => next.reach(), 20);
    return join(...given);
  };
  expect(await talk(claude, { tools: { count: { ...counted, execute } } })).toEqual([
    ["toolu_0", "so far", "two"],
    ["toolu_0", "so far", "three"],
    ["toolu_0", "result", "three"],
  ]);
});

test("a call that needs the SDK's approval does not start without it, also if a function decides", async () => {
  const runs: number[] = [];
  const started = moment();
  const pay = (needsApproval: boolean | ((input: { amount: number }) => boolean)) =>
    tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval,
      execute: async ({ amount }) => {
        runs.push(amount);
        started.reach();
      },
    });
  const { claude } = await model(async function* () {
    yield begin +
      call(0, "always", { amount: 1 }) +
      call(1, "large", { amount: 2 }) +
      call(2, "large", { amount: 20 });
    await started.reached;
    yield finish();
  });
  const tools = early({ always: pay(true), large: pay(({ amount }) => amount > 10) });
  expect(await talk(claude, { tools })).toEqual([
    ["toolu_0", "approval"],
    ["toolu_2", "approval"],
    ["toolu_1", "result", undefined],
  ]);
  expect(runs).toEqual([2]);
});

/** So many calls in a response that is not a stream. */
function whole(name: string, input: object, count: number): SteppedAnswer {
  const content = Array.from({ length: count }, (_, at) => ({
    type: "tool_use",
    id: `toolu_${at}`,
    name,
    input,
  }));
  const usage = { input_tokens: 1, output_tokens: 1 };
  const about = { id: "msg_1", type: "message", role: "assistant", model: "claude-test", usage };
  return () => [JSON.stringify({ ...about, content, stop_reason: count > 0 ? "tool_use" : "end_turn" })];
}

test("a call that was approved runs when the SDK asks for it", async () => {
  const pay = tool({ inputSchema: z.object({}), needsApproval: true, execute: async () => "paid" });
  const { claude, server } = await model(whole("pay", {}, 1), whole("pay", {}, 0));
  const tools = early({ pay });
  const first = await generateText({ model: claude, tools, prompt: "go" });
  const request = first.content.find((part) => part.type === "tool-approval-request");
  const approvalId = (request as { approvalId: string }).approvalId;
  const messages: ModelMessage[] = [
    { role: "user", content: "go" },
    ...first.response.messages,
    { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] },
  ];
  await generateText({ model: claude, tools, messages });
  expect(results(server)).toMatchObject([{ tool_use_id: "toolu_0", content: "paid" }]);
});

test("generateText works as before, in our order", async () => {
  const { log, end, edit } = noted();
  const { claude } = await model(whole("edit", { path: "a" }, 2));
  const generating = generateText({ model: claude, tools: early({ edit }), prompt: "go" });
  await end("toolu_0");
  await end("toolu_1");
  expect((await generating).toolResults.map(({ output }) => output)).toEqual(["a", "a"]);
  expect(log).toEqual(["begin toolu_0", "end toolu_0", "begin toolu_1", "end toolu_1"]);
});

test("two parallel responses do not wait for each other, and no listener is left", async () => {
  const { log, end, edit } = noted();
  const tools = early({ edit });
  const { signal } = new AbortController();
  const one = () => [begin + call(0, "edit", { path: "a" }, "one") + finish()];
  const other = () => [begin + call(0, "edit", { path: "a" }, "other") + finish()];
  const first = await model(one, done);
  const second = await model(other, done);
  const talking = [talk(first.claude, { tools, signal }), talk(second.claude, { tools, signal })];
  await until(() => log.length === 2);
  await end("one");
  await end("other");
  expect(await Promise.all(talking)).toEqual([[["one", "result", "a"]], [["other", "result", "a"]]]);
  // Those of the name `abort` are fetch's, until they are collected.
  const names = getEventListeners(signal, "abort").map(({ name }) => name);
  expect(names.filter((name) => name !== "abort")).toEqual([]);
});

test("an output is returned as soon as it is available, whatever earlier calls do", async () => {
  const { end, edit } = noted();
  const { edit: both } = early({ edit }, { declare: { edit: atPath("write") } });
  const messages: ModelMessage[] = [];
  const joined = ["a", "b"].map((path) => both.execute?.({ path }, { toolCallId: path, messages }));
  await end("b");
  expect(await joined[1]).toBe("b");
  await end("a");
  expect(await joined[0]).toBe("a");
});

test("with a host that creates a new list of messages for each callback, no call runs twice, and `oneRun` keeps the order", async () => {
  const { log, end, edit } = noted();
  /** As Mastra calls them. */
  const asHost = async (tools: { edit: typeof edit }, ids: readonly string[]): Promise<unknown[]> => {
    const options = (id: string) => ({ toolCallId: id, messages: [] });
    const joined: Promise<unknown>[] = [];
    for (const id of ids) {
      await tools.edit.onInputAvailable?.({ input: { path: id }, ...options(id) });
      joined.push(tools.edit.execute?.({ path: id }, options(id)) as Promise<unknown>);
    }
    return Promise.all(joined);
  };
  const apart = asHost(early({ edit }), ["a", "b"]);
  await until(() => log.length === 2);
  await end("b");
  await end("a");
  expect([await apart, log]).toEqual([
    ["a", "b"],
    ["begin a", "begin b", "end b", "end a"],
  ]);
  const together = asHost(early({ edit }, { oneRun: true }), ["c", "d"]);
  await end("c");
  await end("d");
  expect([await together, log.slice(4)]).toEqual([
    ["c", "d"],
    ["begin c", "end c", "begin d", "end d"],
  ]);
});

test("an SDK that asks for calls while the response streams can add more of them", async () => {
  const seen: string[] = [];
  const { read } = early({
    read: tool({
      inputSchema: file,
      execute: async ({ path }) => {
        seen.push(path);
        return path;
      },
    }),
  });
  const messages: ModelMessage[] = [];
  for (const path of ["a", "b", "a"]) {
    const options = { toolCallId: `${path}${seen.length}`, messages };
    await read.onInputAvailable?.({ input: { path }, ...options });
    expect(await read.execute?.({ path }, options)).toBe(path);
  }
  expect(seen).toEqual(["a", "b", "a"]);
});

test("invalid arguments throw at once", () => {
  const read = tool({ inputSchema: file, execute: async () => 1 });
  const elsewhere = tool({ inputSchema: file, outputSchema: z.string() });
  expect(() => early(undefined as never)).toThrow(
    "early: the tools must be an object such as { read, write }, got undefined.",
  );
  expect(() => early([read] as never)).toThrow("early: the tools must be an object such as { read, write }");
  expect(() => early({ read: true } as never)).toThrow('early: tool "read" must be a tool of the AI SDK');
  expect(() => early({ read }, { limit: 0 })).toThrow("limit must be a whole number of at least 1, not 0.");
  expect(() => early({ read }, { start: "soon" as "eager" })).toThrow(
    'start must be "eager", "reads" or "after"',
  );
  expect(() => early({ read }, { declare: { raed: {} } as object })).toThrow(
    'early: declare: unknown option "raed". Did you mean "read"?',
  );
  expect(() => early({ read }, { canUsetool: () => ({ behavior: "deny" }) } as object)).toThrow(
    'early: unknown option "canUsetool". Did you mean "canUseTool"?',
  );
  expect(() => early({ read }, { declare: { read: { isReadOnly: true } } } as object)).toThrow(
    'Tool "read": isReadOnly must be a function, not true.',
  );
  expect(() => stopEarly({ read })).toThrow(
    "stopEarly: the argument must be the tools that early() returned.",
  );
  expect(early({ elsewhere })).toEqual({ elsewhere });
});
