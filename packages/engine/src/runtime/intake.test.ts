import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newExecutor, resultsOf, settle, simple } from "../../test/support/tools.ts";
import type { CallRequest } from "../core/call.ts";
import { takeIn } from "./intake.ts";
import type { AnyTool } from "./tool.ts";
import { Toolbox } from "./toolbox.ts";

function toolOf(name: string, inputSchema: unknown, members: object = {}): AnyTool {
  return { name, description: "", inputSchema, call: () => "done", ...members };
}

const read = toolOf("Read", z.object({ path: z.string(), limit: z.number().default(10) }), {
  aliases: ["FileRead"],
  isReadOnly: () => true,
  access: ({ path }: { path: string }, { cwd }: { cwd: string }) => [
    { mode: "read", place: `fs:${cwd}/${path}` },
  ],
  interruptBehavior: () => "cancel",
});
const free = toolOf("Free", z.object({}).loose());
const slow = toolOf(
  "Slow",
  {
    "~standard": { version: 1, vendor: "by hand", validate: async (value: unknown) => ({ value }) },
  },
  { isReadOnly: () => true },
);
const toolbox = new Toolbox([read, free, slow], undefined);

const take = (request: Omit<CallRequest, "id">) =>
  takeIn({ id: "c1", ...request } as CallRequest, toolbox, { cwd: "/repo" });

/** The input that a call was taken in with, or what was wrong. */
function inputOf(request: Omit<CallRequest, "id">): unknown {
  const intake = take(request);
  return intake.taken === undefined ? intake.outcome : intake.taken.input;
}

const failed = (fault: string, text: string): object => ({
  type: "failed",
  fault,
  message: `<tool_use_error>${text}</tool_use_error>`,
});

describe("A call that is taken in", () => {
  test("It has its tool, its validated input, its message and its claims", () => {
    const message = { role: "assistant" };
    const intake = take({ name: "FileRead", input: { path: "a" }, message } as never);
    expect(intake).toEqual({
      taken: { id: "c1", tool: read, message, input: { path: "a", limit: 10 }, validation: undefined },
      access: {
        claims: [{ mode: "read", place: "fs:/repo/a" }],
        readOnly: true,
        interrupt: "cancel",
        onError: "isolate",
      },
    });
  });

  test("A call with an asynchronous schema claims everything until it is validated", async () => {
    const intake = take({ name: "Slow", input: { a: "\ud800" } } as never);
    expect(intake).toMatchObject({
      access: {
        claims: [{ mode: "write", place: "*" }],
        readOnly: true,
        interrupt: "block",
        onError: "isolate",
      },
    });
    expect(intake.taken?.input).toEqual({ a: "\ufffd" });
    expect(await intake.taken?.validation).toEqual({ ok: true, input: { a: "\ufffd" } });
  });

  test.each<[string, string, unknown]>([
    ["JSON", '{"a":[1,"é"]}', { a: [1, "é"] }],
    ["JSON with space around it", ' \n{"a":1}\t', { a: 1 }],
    ["no text, which means no input", "", {}],
    ["only space", " \n ", {}],
    ["half of a surrogate pair", '{"a":"\\ud83d"}', { a: "\ufffd" }],
    ["a doubled key", '{"a":1,"a":2}', { a: 2 }],
  ])("Its input text can be %s", (_, inputText, input) => {
    expect(inputOf({ name: "Free", inputText } as never)).toEqual(input);
  });

  test("Input that is already an object is made well-formed too", () => {
    expect(inputOf({ name: "Free", input: { ["k\ud800"]: ["\udc00"] } } as never)).toEqual({
      ["k\ufffd"]: ["\ufffd"],
    });
  });

  test("A key such as __proto__ does not reach the prototype", () => {
    const input = inputOf({ name: "Free", inputText: '{"__proto__":{"admin":true}}' } as never);
    expect((input as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });
});

describe("A call that is refused", () => {
  test("The error for an unknown tool suggests the nearest name", () => {
    expect(inputOf({ name: "Raed", input: {} } as never)).toEqual(
      failed("unknown-tool", "Error: No such tool available: Raed. Did you mean Read?"),
    );
  });

  test("The error for an unknown tool does not depend on its input and is well-formed", () => {
    expect(inputOf({ name: "Zzzzzz\ud83d", inputText: "{" } as never)).toEqual(
      failed("unknown-tool", "Error: No such tool available: Zzzzzz\ufffd. Available: Read, Free, Slow."),
    );
  });

  test("The error for invalid input says what is wrong", () => {
    expect(inputOf({ name: "Read", input: { limit: "x" } } as never)).toEqual(
      failed(
        "invalid-input",
        "InputValidationError: Read cannot take this input:\n- the required parameter `path` is missing\n- `limit`: Invalid input: expected number, received string",
      ),
    );
  });

  test.each(["3", "null", "[]", '"text"'])(
    "JSON that is not an object, as %s, is invalid input",
    (inputText) => {
      expect(inputOf({ name: "Read", inputText } as never)).toMatchObject({ fault: "invalid-input" });
    },
  );

  test("The error for input that is not JSON has the reason and the text", () => {
    const outcome = inputOf({ name: "Read", inputText: '{"path": "a' } as never) as { message: string };
    expect(outcome).toMatchObject({ type: "failed", fault: "invalid-input" });
    expect(outcome.message).toMatch(
      /^<tool_use_error>InputValidationError: the input of Read is not valid JSON, so it was not run: .+\. What you sent:\n\{"path": "a<\/tool_use_error>$/s,
    );
  });

  test("The error quotes only the beginning of a long text, cut between characters", () => {
    const outcome = inputOf({ name: "Read", inputText: `x${"😀".repeat(1_000_000)}` } as never) as {
      message: string;
    };
    expect(outcome.message.length).toBeLessThan(2_000);
    expect(outcome.message.isWellFormed()).toBe(true);
    expect(outcome.message).not.toContain("\\ud83d");
  });
});

test.each([
  ["only reads runs", true, "succeeded"],
  ["writes does not run", false, "aborted"],
])("after a failure, a call that is still being validated and %s", async (_, readOnly, type) => {
  const validated: (() => void)[] = [];
  const failing = simple("Fail", () => Promise.reject(new Error("no")), {
    access: () => [],
    onError: () => "cancel-later",
  });
  const validating: AnyTool = {
    name: "T",
    description: "",
    inputSchema: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => new Promise((resolve) => validated.push(() => resolve({ value }))),
      },
    },
    isReadOnly: () => readOnly,
    call: () => "ran",
  };
  for (const isLate of [false, true]) {
    const executor = newExecutor([failing, validating]);
    executor.add({ id: "0", name: "Fail", input: { path: "a" } });
    if (isLate) await settle();
    executor.add({ id: "1", name: "T", input: {} });
    await settle();
    validated.shift()?.();
    expect((await resultsOf(executor))[1]?.outcome.type).toBe(type);
  }
});
