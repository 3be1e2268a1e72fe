import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { anthropicCalls } from "../wire/anthropic.ts";
import { openaiCalls } from "../wire/openai.ts";
import { StreamingToolExecutor } from "./engine.ts";
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
  [{ tools: [], model: "x" }, 'unknown option "model".'],
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
];

test.each(WRONG_TOOLS)("tool %o is refused", (wrong, said) => {
  expect(make({ tools: [wrong] })).toThrow(TypeError);
  expect(make({ tools: [wrong] })).toThrow(said);
});

test("other members of a tool are left alone", () => {
  expect(make({ tools: [{ ...tool, title: "Read", data: 1, names: [], annotations: {} }] })).not.toThrow();
});

test("only near names are suggested", () => {
  const reject = (name: string) => () => rejectUnknown({ [name]: 1 }, ["limit", "ask"], "f");
  expect(reject("limt")).toThrow('f: unknown option "limt". Did you mean "limit"?');
  expect(reject("limites")).toThrow('Did you mean "limit"?');
  expect(reject("timeout")).toThrow('f: unknown option "timeout".');
  expect(reject("a")).toThrow(/^f: unknown option "a"\.$/);
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
  [{ isReadOnly: async () => true }, "isReadOnly() returned a promise, which is ignored."],
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
