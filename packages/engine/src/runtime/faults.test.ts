/** Faults of tools and of what models send, by their numbers in the fault corpus. */

import { expect, test } from "vitest";
import { z } from "zod";
import {
  controlled,
  newExecutor,
  paths,
  reader,
  resultsOf,
  settle,
  simple,
  textsOf,
  writer,
} from "../../test/support/tools.ts";
import { checkHistory } from "../history/history.ts";
import { defineTool } from "./tool.ts";

const hostile = new Proxy(
  {},
  {
    get() {
      throw new Error("hands off");
    },
    getPrototypeOf() {
      throw new Error("hands off");
    },
  },
);

test("C01, C02: whatever a tool throws, now or later, becomes an error result with safe text", async () => {
  const thrown = [
    "text",
    undefined,
    null,
    Object.freeze({ code: 7 }),
    hostile,
    new Error("message"),
    42n,
    Symbol("s"),
  ];
  const tools = [
    simple("Now", ({ path }) => {
      throw thrown[Number(path)];
    }),
    simple("Later", ({ path }) => Promise.reject(thrown[Number(path)])),
  ];
  for (const { name } of tools) {
    const executor = newExecutor(tools);
    for (const at of thrown.keys()) executor.add({ id: `${at}`, name, input: { path: `${at}` } });
    const results = await resultsOf(executor);
    expect(results.map(({ result }) => result.is_error)).toEqual(thrown.map(() => true));
    for (const { result } of results) expect(result.content).toMatch(/^Error: ./);
    expect(results[5]?.result.content).toMatch(/^Error: message\n {4}at /);
  }
});

test("C04: a tool that settles twice, or after it was stopped, has one outcome and affects nothing else", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", note);
  const twice = simple(
    "Twice",
    () =>
      new Promise((resolve, reject) => {
        resolve("first");
        reject(new Error("second"));
      }),
  );
  const { tool, open } = controlled("Late");
  const executor = newExecutor([twice, tool]);
  executor.add({ id: "1", name: "Twice", input: { path: "" } });
  await settle();
  executor.add({ id: "2", name: "Late", input: { path: "" } });
  const late = open[0];
  executor.interrupt("stop");
  late?.resolve("after all");
  late?.reject(new Error("and again"));
  const results = await resultsOf(executor);
  expect(results.map(({ outcome }) => outcome.type)).toEqual(["succeeded", "aborted"]);
  await settle();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("C05: a call whose declarations throw or are invalid runs alone and in order", async () => {
  const broken = controlled("Broken", {
    isReadOnly: () => {
      throw new Error("no");
    },
    isConcurrencySafe: () => "yes" as unknown as boolean,
    access: () => [{ mode: "read", place: "nowhere in particular" }],
    interruptBehavior: () => {
      throw new Error("no");
    },
    timeoutMs: () => Number.NaN,
    onError: () => {
      throw new Error("no");
    },
  });
  const executor = newExecutor([broken.tool]);
  executor.add({ id: "1", name: "Broken", input: { path: "a" } });
  executor.add({ id: "2", name: "Broken", input: { path: "b" } });
  expect(paths(broken.open)).toEqual(["a"]);
  executor.interrupt("message");
  broken.open[0]?.resolve();
  await settle();
  expect(paths(broken.open)).toEqual(["b"]);
  broken.open[0]?.resolve();
  expect(await textsOf(executor)).toEqual({ 1: "Broken a", 2: "Broken b" });
});

test("C12: results that cannot be serialised become text", async () => {
  const circle: Record<string, unknown> = { name: "circle" };
  circle.self = circle;
  const outputs = [
    undefined,
    circle,
    10n,
    Symbol("s"),
    new Map([["key", new Set([1, 2])]]),
    new Date(0),
    {
      toJSON() {
        throw new Error("no JSON");
      },
    },
    hostile,
    Buffer.from("binary"),
    () => 1,
  ];
  const executor = newExecutor([simple("Give", ({ path }) => outputs[Number(path)])]);
  for (const at of outputs.keys()) executor.add({ id: `${at}`, name: "Give", input: { path: `${at}` } });
  const texts = await textsOf(executor);
  expect(texts).toEqual({
    0: "(Give completed with no output)",
    1: '{"name":"circle","self":"[circular]"}',
    2: "10",
    3: "Symbol(s)",
    4: '{"key":[1,2]}',
    5: "1970-01-01T00:00:00.000Z",
    6: "[unreadable: no JSON]",
    7: expect.stringMatching(/^Error: hands off/),
    8: "[binary data, 6 bytes]",
    9: "[function]",
  });
});

test("C16: edits of one file in one response run one after the other, and none is lost", async () => {
  let file = "";
  const edit = simple(
    "Edit",
    async ({ path }) => {
      const before = file;
      await settle();
      file = `${before}${path}`;
    },
    { access: () => [{ mode: "write", place: "fs:/file" }] },
  );
  const executor = newExecutor([edit]);
  for (const letter of ["a", "b", "c", "d"])
    executor.add({ id: letter, name: "Edit", input: { path: letter } });
  await resultsOf(executor);
  expect(file).toBe("abcd");
});

const bash = defineTool({
  name: "Bash",
  description: "",
  inputSchema: z.object({ command: z.string(), timeout: z.number().optional() }),
  call: ({ command }) => `ran ${command}`,
});

test("B03: empty input is an empty object, and the error names what is missing", async () => {
  const executor = newExecutor([bash]);
  executor.add({ id: "1", name: "Bash", inputText: "" });
  expect(await textsOf(executor)).toEqual({
    1: "<tool_use_error>InputValidationError: Bash cannot take this input:\n- the required parameter `command` is missing</tool_use_error>",
  });
});

test("B02: a call with input that is not JSON does not run, and the error quotes its beginning", async () => {
  const executor = newExecutor([bash]);
  executor.add({ id: "1", name: "Bash", inputText: '{"command": "rm -rf' });
  const [update] = await resultsOf(executor);
  expect(update?.result.is_error).toBe(true);
  expect(update?.result.content).toContain("is not valid JSON");
  expect(update?.result.content).toContain('What you sent:\n{"command": "rm -rf');
});

test("B04: the error for wrong types names each field", async () => {
  const executor = newExecutor([bash]);
  executor.add({ id: "1", name: "Bash", input: { command: ["ls"], timeout: "soon" } });
  executor.add({ id: "2", name: "Bash", input: "ls" });
  executor.add({ id: "3", name: "Bash", input: null });
  const texts = await textsOf(executor);
  expect(texts[1]).toContain("- `command`: Invalid input: expected string, received array");
  expect(texts[1]).toContain("- `timeout`: Invalid input: expected number, received string");
  expect(texts[2]).toContain("expected object, received string");
  expect(texts[3]).toContain("expected object, received null");
});

test("B07: the error for an unknown or malformed name suggests the nearest names, and other calls are not affected", async () => {
  const executor = newExecutor([
    bash,
    simple("Read", () => "here", reader),
    simple("Edit", () => "edited", writer),
  ]);
  executor.add({ id: "1", name: "Raed", input: {} });
  executor.add({ id: "2", name: "Read", input: { path: "a" } });
  executor.add({ id: "3", name: "", input: {} });
  executor.add({ id: "4", name: undefined as unknown as string, input: {} });
  expect(await textsOf(executor)).toEqual({
    1: "<tool_use_error>Error: No such tool available: Raed. Did you mean Read?</tool_use_error>",
    2: "here",
    3: "<tool_use_error>Error: No such tool available: . Available: Bash, Read, Edit.</tool_use_error>",
    4: "<tool_use_error>Error: No such tool available: undefined. Available: Bash, Read, Edit.</tool_use_error>",
  });
});

test("B14: lone surrogates from the model or from a tool reach neither the tool nor the history", async () => {
  const seen: string[] = [];
  const tool = simple("Write", ({ path }) => {
    seen.push(path);
    return `half: \ud83d`;
  });
  const executor = newExecutor([tool]);
  executor.add({ id: "1", name: "Write", inputText: String.raw`{"path": "half \ud83d"}` });
  executor.add({ id: "2", name: "Write", input: { path: "\udc00" } });
  const results = await resultsOf(executor);
  expect(seen).toEqual(["half \ufffd", "\ufffd"]);
  expect(results.map(({ result }) => result.content)).toEqual(["half: \ufffd", "half: \ufffd"]);
});

test("B09: the results of any calls make a history that the API accepts", async () => {
  const { tool, open } = controlled("Slow");
  const executor = newExecutor([bash, tool]);
  executor.add({ id: "1", name: "Bash", input: { command: "ls" } });
  executor.add({ id: "2", name: "Nope", input: {} });
  executor.add({ id: "3", name: "Slow", input: { path: "" } });
  executor.add({ id: "4", name: "Bash", inputText: "{" });
  const running = open[0];
  executor.interrupt("stop");
  running?.reject("stopped");
  const results = (await resultsOf(executor)).map(({ result }) => ({ ...result }));
  const calls = results.map(({ tool_use_id: id }) => ({ type: "tool_use", id, name: "Bash", input: {} }));
  const history = [
    { role: "user" as const, content: "go" },
    { role: "assistant" as const, content: [...calls, { type: "text", text: "and then" }] },
    { role: "user" as const, content: results },
  ];
  expect(checkHistory(history)).toEqual([]);
});

test("an error text that is too large is shortened like any other result", async () => {
  const executor = newExecutor([simple("Fail", () => Promise.reject(new Error("x ".repeat(100_000))))]);
  executor.add({ id: "1", name: "Fail", input: { path: "" } });
  const [update] = await resultsOf(executor);
  expect(update?.result.is_error).toBe(true);
  expect(String(update?.result.content).length).toBeLessThan(6_000);
});

test("a declaration that returns a rejected promise affects nothing else", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", note);
  const late = () => Promise.reject(new Error("late")) as unknown as boolean;
  const executor = newExecutor([simple("Read", () => "here", { isReadOnly: late })]);
  executor.add({ id: "1", name: "Read", input: { path: "" } });
  expect(await textsOf(executor)).toEqual({ 1: "here" });
  await settle();
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
