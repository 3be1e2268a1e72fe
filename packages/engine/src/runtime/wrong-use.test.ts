import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { anthropicCalls } from "../wire/anthropic.ts";
import { toAnthropicTools, toOpenAiTools } from "../wire/definitions.ts";
import { openaiCalls } from "../wire/openai.ts";
import { StreamingToolExecutor } from "./engine.ts";
import { recoverTurn } from "./recover.ts";
import { rejectUnknown } from "./shapes.ts";
import { runTools } from "./run-tools.ts";
import type { AnyTool } from "./tool.ts";

const tool = {
  name: "Read",
  description: "Reads.",
  inputSchema: z.object({}).loose(),
  call: async () => "done",
};

const make = (options: unknown) => () => new StreamingToolExecutor(options as never);

/** Options that a program without types can give, and what is answered. */
const WRONG_OPTIONS: readonly (readonly [options: unknown, said: string])[] = [
  [undefined, "StreamingToolExecutor: tools must be an array of tools, not undefined."],
  [{}, "StreamingToolExecutor: tools must be an array of tools, not undefined."],
  [{ tools: { Read: tool } }, "StreamingToolExecutor: tools must be an array of tools, not this object."],
  [
    { tools: [], canUseTol: () => {} },
    'StreamingToolExecutor: unknown option "canUseTol". Did you mean "canUseTool"?',
  ],
  [{ tools: [], CanUseTool: () => {} }, 'unknown option "CanUseTool". Did you mean "canUseTool"?'],
  [{ tools: [], on_event: () => {} }, 'unknown option "on_event". Did you mean "onEvent"?'],
  [{ tools: [], model: "x" }, 'unknown option "model". Known options: tools, '],
  [{ tools: [], canUseTool: true }, "StreamingToolExecutor: canUseTool must be a function, not true."],
  [{ tools: [], ask: "always" }, "ask must be a function, not always."],
  [{ tools: [], onEvent: {} }, "onEvent must be a function, not this object."],
  [{ tools: [], validateJsonSchema: null }, "validateJsonSchema must be a function, not null."],
  [
    { tools: [], hooks: { preTooluse: () => {} } },
    'StreamingToolExecutor: hooks: unknown option "preTooluse". Did you mean "preToolUse"?',
  ],
  [{ tools: [], hooks: { matches: "Bash" } }, "hooks: matches must be a function, not Bash."],
  [{ tools: [], hooks: [] }, "hooks must be an object, not this array."],
  [{ tools: [], context: "/repo" }, "context must be an object, not /repo."],
  [{ tools: [], context: {} }, "context needs a cwd"],
  [{ tools: [], context: { cwd: 5 } }, "context needs a cwd"],
  [{ tools: [], journal: "turn.jsonl" }, 'journal needs a function "record": turn.jsonl has none.'],
  [{ tools: [], journal: { write: () => {} } }, 'journal needs a function "record": this object has none.'],
  [{ tools: [], results: null }, 'results needs a function "store": null has none.'],
  [{ tools: [], clock: Date }, 'clock needs a function "after": this function has none.'],
  [{ tools: [], signal: new AbortController() }, 'signal needs a function "addEventListener"'],
];

test.each(WRONG_OPTIONS)("options %o are refused", (options, said) => {
  expect(make(options)).toThrow(TypeError);
  expect(make(options)).toThrow(said);
});

test("an option that is undefined counts as not given", () => {
  expect(make({ tools: [tool], canUseTool: undefined, other: undefined })).not.toThrow();
});

/** Tools that a program without types can give, and what is answered. */
const WRONG_TOOLS: readonly (readonly [tool: unknown, said: string])[] = [
  [undefined, "A tool needs a name: undefined has none."],
  [{ ...tool, name: undefined }, "A tool needs a name: this object has none."],
  [{ ...tool, name: "" }, "A tool needs a name: this object has none."],
  [
    { ...tool, call: undefined },
    'Tool "Read": call must be a function, not undefined. Write call: () => ...',
  ],
  [
    { ...tool, isReadOnly: true },
    'Tool "Read": isReadOnly must be a function, not true. Write isReadOnly: () => ...',
  ],
  [{ ...tool, interruptBehavior: "cancel" }, "interruptBehavior must be a function, not cancel."],
  [{ ...tool, timeoutMs: 5 }, "timeoutMs must be a function, not 5."],
  [{ ...tool, access: [] }, "access must be a function, not this array."],
  [
    { ...tool, isReadonly: () => true },
    'Tool "Read": unknown option "isReadonly". Did you mean "isReadOnly"?',
  ],
  [{ ...tool, acces: () => [] }, 'unknown option "acces". Did you mean "access"?'],
  [{ ...tool, call: undefined, execute: () => {} }, 'Tool "Read" has no call. Rename "execute" to "call".'],
  [
    { ...tool, inputSchema: undefined, parameters: {} },
    'Tool "Read" has no inputSchema. Rename "parameters" to "inputSchema".',
  ],
  [{ ...tool, aliases: "Cat" }, 'Tool "Read": aliases must be an array of strings, not Cat.'],
  [{ ...tool, description: ["Reads."] }, "description must be a string, not this array."],
  [{ ...tool, maxResultChars: "10k" }, "maxResultChars must be a number of 0 or more, not 10k."],
  [{ ...tool, checkWaits: "no" }, "checkWaits must be true or false, not no."],
];

test.each(WRONG_TOOLS)("tool %o is refused", (wrong, said) => {
  expect(make({ tools: [wrong] })).toThrow(TypeError);
  expect(make({ tools: [wrong] })).toThrow(said);
});

test("other members of a tool are left alone", () => {
  expect(make({ tools: [{ ...tool, title: "Read", data: 1, names: [], annotations: {} }] })).not.toThrow();
});

test("a near name is suggested; without one, the known names are listed", () => {
  const reject = (name: string) => () => rejectUnknown({ [name]: 1 }, ["limit", "ask"], "f");
  expect(reject("limt")).toThrow('f: unknown option "limt". Did you mean "limit"?');
  expect(reject("limites")).toThrow('Did you mean "limit"?');
  for (const name of ["timeout", "a"])
    expect(reject(name)).toThrow(new TypeError(`f: unknown option "${name}". Known options: limit, ask.`));
});

const warnings: string[] = [];
const listen = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
beforeEach(() => void process.on("warning", listen));
afterEach(() => {
  process.off("warning", listen);
  warnings.length = 0;
});

async function warningsOf(declared: object): Promise<string[]> {
  const wrong = { ...tool, ...declared } as AnyTool;
  const calls = [1, 2, 3].map((id) => ({ id: `${id}`, name: "Read", input: {} }));
  for await (const update of runTools(calls, { tools: [wrong] }))
    if (update.type === "result") expect(update.result.content).toBe("done");
  await vi.waitFor(() => expect(warnings).not.toEqual([]), 60_000);
  return [...warnings];
}

test("a place without a scheme is reported once, with the right form", async () => {
  expect(await warningsOf({ access: () => [{ mode: "read", place: "/repo/a.ts" }] })).toEqual([
    'RunaheadWarning: Tool "Read": access() returned [{"mode":"read","place":"/repo/a.ts"}], which is ignored. ' +
      'Return places with a scheme: [{ mode: "read", place: "fs:/a.ts" }].',
  ]);
});

test.each([
  [{ access: () => [{ mode: "read", place: "C:/repo" }] }, '"place":"C:/repo"'],
  [{ access: () => [{ mode: "reads", place: "fs:/a" }] }, '"mode":"reads"'],
  [
    { isReadOnly: async () => true },
    "isReadOnly() returned a promise, which is ignored. Return true or false.",
  ],
  [{ isReadOnly: () => "yes" }, 'isReadOnly() returned "yes", which is ignored. Return true or false.'],
  [{ interruptBehavior: () => "stop" }, 'Return "cancel" or "block".'],
  [{ onError: () => "cancel" }, 'Return "isolate" or "cancel-later".'],
  [{ access: () => undefined }, "access() returned undefined, which is ignored."],
])("a declaration that cannot be used is reported: %o", async (declared, said) => {
  const found = await warningsOf(declared);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(said);
});

async function* streamOf(...events: unknown[]): AsyncGenerator<unknown> {
  yield* events;
}

const sink = { add: () => true, end: () => {} };

async function read(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of events);
}

const CHUNK = { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: {} }] };

test("a stream of another API is refused, with the function to use", async () => {
  const useOpenAi = "anthropicCalls cannot read this stream. Use openaiCalls.";
  const useAnthropic = "openaiCalls cannot read this stream. Use anthropicCalls.";
  await expect(read(anthropicCalls(streamOf(CHUNK), sink))).rejects.toThrow(useOpenAi);
  await expect(read(anthropicCalls(streamOf({ type: "response.created" }), sink))).rejects.toThrow(useOpenAi);
  await expect(read(openaiCalls(streamOf({ type: "message_start" }), sink))).rejects.toThrow(useAnthropic);
  await expect(
    read(openaiCalls(streamOf({ type: "ping" }, { type: "content_block_start" }), sink)),
  ).rejects.toThrow(useAnthropic);
});

test("text, bytes and the parts of the AI SDK are refused, with what to use", async () => {
  const unparsed = "needs parsed events, not text or bytes.";
  await expect(read(anthropicCalls(streamOf("event: message_start"), sink))).rejects.toThrow(unparsed);
  await expect(read(openaiCalls(streamOf(new Uint8Array(3)), sink))).rejects.toThrow(unparsed);
  const part = { type: "tool-call", toolCallId: "1", toolName: "Read", input: "{}" };
  await expect(read(anthropicCalls(streamOf(part), sink))).rejects.toThrow("Use early()");
});

test("an argument that is not a list of calls, tools or events is refused by name", () => {
  const options = { tools: [tool] } as never;
  expect(() => runTools({ id: "1" } as never, options)).toThrow(
    "runTools: calls must be an array of calls, not this object.",
  );
  expect(() => toAnthropicTools({ Read: tool } as never)).toThrow(
    "toAnthropicTools needs an array of tools, not this object.",
  );
  expect(() => toOpenAiTools([{}] as never)).toThrow("A tool needs a name");
  expect(() => recoverTurn(undefined as never)).toThrow(
    "recoverTurn needs an array of events, not undefined.",
  );
  expect(() => recoverTurn('{"type":"call-arrived"}' as never)).toThrow("not text.");
  expect(() => recoverTurn(['{"type":"call-arrived"}'] as never)).toThrow("Parse each line with JSON.parse.");
});

/** What a program without types can return from `canUseTool`, and what its result says. */
test.each([
  [true, 'it returned true. Return { behavior: "allow" } or "deny"'],
  ["allow", 'it returned "allow".'],
  [undefined, "it returned undefined."],
  [{ behaviour: "allow" }, 'it returned {"behaviour":"allow"}.'],
  [{ behavior: "allow", updatedInput: { path: "safe" } }, 'rename "updatedInput" to "input"'],
])("a call does not run if canUseTool returns %o", async (verdict, said) => {
  for (const answered of [verdict, Promise.resolve(verdict)])
    expect(await resultOf({ canUseTool: () => answered })).toContain(said);
  if (verdict === undefined) return;
  const ask = (): unknown => verdict;
  expect(await resultOf({ canUseTool: () => ({ behavior: "ask" }), ask })).toContain(said);
});

async function resultOf(options: object): Promise<unknown> {
  const calls = [{ id: "1", name: "Read", input: {} }];
  for await (const update of runTools(calls, { tools: [tool], ...options }))
    if (update.type === "result") return update.result.content;
  return undefined;
}

/** Mistakes in the code of the program that only a listener would hear of. */
test.each([
  [
    { hooks: { preToolUse: () => ({ behavior: "deny" }) } },
    'preToolUse failed: its answer: unknown option "behavior"',
  ],
  [
    { hooks: { preToolUse: () => ({ decision: "block" }) } },
    'preToolUse failed: its decision must be "allow"',
  ],
  [{ hooks: { preToolUse: () => true } }, "hooks.preToolUse failed: "],
  [{ hooks: { postToolUse: () => ({ addition: 5 }) } }, "hooks.postToolUse failed: "],
  [{ journal: { record: () => Promise.reject(new Error("disk full")) } }, "journal.record failed: disk full"],
  [
    {
      tools: [
        { ...tool, call: (_: unknown, context: { change(by: unknown): void }) => context.change("/x") },
      ],
    },
    "context.change failed: ",
  ],
  [
    {
      tools: [{ ...tool, access: () => [{ mode: "read", place: "fs:/a" }] }],
      resolvePlace: () => undefined,
    },
    "resolvePlace failed, so the call counts as writing everything: it returned undefined for fs:/a.",
  ],
])("without a listener, a failure of the program's own code is a warning: %o", async (options, said) => {
  const calls = ["1", "2"].map((id) => ({ id, name: "Read", input: {} }));
  const results = [];
  for await (const update of runTools(calls, { tools: [tool], ...options } as never)) results.push(update);
  expect(results).toHaveLength(2);
  await vi.waitFor(() => expect(warnings).not.toEqual([]), 60_000);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(said);
});

test("a listener gets such a failure instead of a warning", async () => {
  const events: string[] = [];
  const onEvent = ({ type }: { type: string }): void => void events.push(type);
  await resultOf({ hooks: { preToolUse: () => true }, onEvent });
  expect(events).toContain("hook-failed");
  // Warnings are emitted in the next tick.
  await new Promise((resolve) => void setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test("an argument that is not a stream or an executor is refused at once", () => {
  const promise = Promise.resolve(streamOf());
  expect(() => anthropicCalls(promise as never, sink)).toThrow(
    'anthropicCalls needs an async iterable and an executor. It was given a promise: write "await".',
  );
  expect(() => openaiCalls([CHUNK] as never, sink)).toThrow(
    "openaiCalls needs an async iterable and an executor.",
  );
  expect(() => anthropicCalls(streamOf(), undefined as never)).toThrow(
    "anthropicCalls needs an async iterable and an executor.",
  );
});

test("a second reader of the results is refused, and takes nothing away from the first", async () => {
  const executor = new StreamingToolExecutor({
    tools: [{ ...tool, call: () => new Promise((resolve) => void setTimeout(resolve, 20, "done")) }],
  });
  executor.add({ id: "1", name: "Read", input: {} });
  const first = executor.remaining();
  const pending = first.next();
  await expect(executor.remaining().next()).rejects.toThrow("remaining() is already being read");
  expect(await pending).toMatchObject({ done: false, value: { callId: "1" } });
  // One after the other is fine: the second goes on where the first has stopped.
  expect(await executor.remaining().next()).toEqual({ done: true, value: undefined });
});

test("a reader that has left does not prevent others from reading", async () => {
  const executor = new StreamingToolExecutor({
    tools: [{ ...tool, call: () => new Promise((resolve) => void setTimeout(resolve, 20, "done")) }],
  });
  executor.add({ id: "1", name: "Read", input: {} });
  const first = executor.remaining();
  const pending = first.next();
  await first.return?.();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(await executor.remaining().next()).toMatchObject({ value: { callId: "1" } });
});

test("a second reader of a stream is refused, and one that continues it is not", async () => {
  const events = anthropicCalls(streamOf({ type: "ping" }, { type: "ping" }, { type: "ping" }), sink);
  await events.next();
  const reading = read(events);
  await expect(read(events)).rejects.toThrow("This stream is already being read");
  await reading;
});

test("an executor that is used for a second response says so", () => {
  const executor = new StreamingToolExecutor({ tools: [tool] });
  executor.end();
  expect(() => executor.add({ id: "2", name: "Read", input: {} })).toThrow(
    "Make a new executor for each response.",
  );
});

test("a call without a name is refused, and no call is added", () => {
  const executor = new StreamingToolExecutor({ tools: [tool] });
  expect(() => executor.add({ id: "1", toolName: "Read", input: {} } as never)).toThrow(
    'add("1"): a call needs the name of its tool as `name`.',
  );
  expect(executor.add({ id: "1", name: "Read", input: {} })).toBe(true);
});

test("discard() with a call is refused, and the response goes on", async () => {
  const executor = new StreamingToolExecutor({ tools: [tool] });
  executor.add({ id: "1", name: "Read", input: {} });
  expect(() => executor.discard(...(["1"] as never[]))).toThrow(
    "discard() discards the whole response and takes no argument.",
  );
  const types = [];
  for await (const update of executor.remaining()) types.push(update.type);
  expect(types).toEqual(["result"]);
});

test.each(["toString", {}, Object.create(null), undefined])("interrupt(%o) is refused", (kind) => {
  const executor = new StreamingToolExecutor({ tools: [tool] });
  expect(() => executor.interrupt(kind as never)).toThrow(/^interrupt takes "stop" or "message", not /);
});

test.each(["isReadonly", "readOnly", "is_read_only"])(
  "the error for a tool with %s names the right member",
  (name) => {
    expect(make({ tools: [{ ...tool, [name]: () => true }] })).toThrow(
      `Tool "Read": unknown option "${name}". Did you mean "isReadOnly"?`,
    );
  },
);

test.each([
  [{}, "runTools: tools must be an array of tools, not undefined."],
  [{ tools: [], limt: 2 }, 'runTools: unknown option "limt". Did you mean "limit"?'],
  [{ tools: [], hooks: { preTool: 1 } }, 'runTools: hooks: unknown option "preTool".'],
  [{ tools: [], context: {} }, "runTools: context needs a cwd"],
  [{ tools: [], locks: {} }, "runTools: locks must come from createLocks()"],
])("errors in the options of runTools name runTools: %o", (options, said) => {
  expect(() => runTools([], options as never)).toThrow(said);
});

test.each([5, {}, null])("an inputText that is %o is refused, and no call is added", async (inputText) => {
  const executor = new StreamingToolExecutor({ tools: [tool] });
  expect(() => executor.add({ id: "1", name: "Read", inputText } as never)).toThrow(
    'add("1"): inputText must be JSON text',
  );
  expect(executor.add({ id: "1", name: "Read", input: {} })).toBe(true);
});

test("end() with something that is not an ending is refused, and the turn goes on", async () => {
  const executor = new StreamingToolExecutor({ tools: [tool] });
  executor.add({ id: "1", name: "Read", input: {} });
  for (const ending of [null, "stop", 1, {}, { okay: true }, { ok: "true" }, { ok: false, reason: 5 }])
    expect(() => executor.end(ending as never)).toThrow(/^end\(\) takes { ok: true } or /);
  const results = [];
  for await (const update of executor.remaining()) results.push(update.type);
  expect(results).toEqual(["result"]);
});
