import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ValidateJsonSchema } from "./ports.ts";
import type { AnyTool, SchemaResult } from "./tool.ts";
import { Toolbox, accessOf } from "./toolbox.ts";

function toolOf(name: string, inputSchema: unknown = z.object({}), members: object = {}): AnyTool {
  return { name, description: "", inputSchema, call: () => "done", ...members };
}

const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};

/** A hand-made Standard Schema. */
function standard(check: (value: unknown) => unknown): object {
  return { "~standard": { version: 1, vendor: "by hand", validate: check } };
}

function validate(schema: unknown, input: unknown, validateJsonSchema?: ValidateJsonSchema) {
  const tool = toolOf("Edit", schema);
  return new Toolbox([tool], validateJsonSchema).validate(tool, input);
}

function invalid(...lines: string[]): object {
  const message = `InputValidationError: Edit cannot take this input:\n${lines.join("\n")}`;
  return { ok: false, message: `<tool_use_error>${message}</tool_use_error>` };
}

describe("Making a toolbox", () => {
  test.each<[string, AnyTool[], string]>([
    ["two tools of one name", [toolOf("Read"), toolOf("Read")], 'Two tools are called "Read".'],
    [
      "an alias that is another's name",
      [toolOf("Read"), toolOf("Look", z.object({}), { aliases: ["Read"] })],
      'Two tools are called "Read".',
    ],
    [
      "an alias that is another's alias",
      ["A", "B"].map((name) => toolOf(name, z.object({}), { aliases: ["Same"] })),
      'Two tools are called "Same".',
    ],
    ["no schema", [toolOf("Bare", null)], 'Tool "Bare" has no input schema. Set inputSchema.'],
    [
      "a schema that is a string",
      [toolOf("Bare", "object")],
      'Tool "Bare" has no input schema. Set inputSchema.',
    ],
    [
      "a plain JSON Schema and nobody to check it",
      [toolOf("Plain", { type: "object" })],
      'Tool "Plain" has a plain JSON Schema. Pass the option validateJsonSchema to validate its input.',
    ],
  ])("It refuses %s, and names the tool", (_, tools, message) => {
    expect(() => new Toolbox(tools, undefined)).toThrow(new TypeError(message));
  });

  test("It finds a tool by its name and aliases, and no members of Object.prototype", () => {
    const read = toolOf("Read", z.object({}), { aliases: ["FileRead", "Cat"] });
    const toolbox = new Toolbox([read, toolOf("Edit")], undefined);
    expect(["Read", "FileRead", "Cat"].map((name) => toolbox.find(name) === read)).toEqual([
      true,
      true,
      true,
    ]);
    expect(["read", "constructor", "__proto__", ""].map((name) => toolbox.find(name))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });

  test("A schema can be a function, as in some libraries", () => {
    const schema = Object.assign(
      () => {},
      standard((value) => ({ value })),
    );
    expect(validate(schema, { a: 1 })).toEqual({ ok: true, input: { a: 1 } });
  });
});

describe("An unknown tool", () => {
  const names = ["Read", "Edit", "Write", "NotebookEdit", "mcp__github__search"];
  const toolbox = new Toolbox(
    names.map((name) => toolOf(name)),
    undefined,
  );

  test.each<[string, unknown, string]>([
    ["a slip", "Reed", "Error: No such tool available: Reed. Did you mean Read?"],
    [
      "another case",
      "notebookedit",
      "Error: No such tool available: notebookedit. Did you mean Edit, NotebookEdit?",
    ],
    [
      "a part of a name",
      "github",
      "Error: No such tool available: github. Did you mean mcp__github__search?",
    ],
    [
      "nothing like it",
      "Xylophone",
      "Error: No such tool available: Xylophone. Available: Read, Edit, Write, NotebookEdit, mcp__github__search.",
    ],
    [
      "no name at all",
      undefined,
      "Error: No such tool available: undefined. Available: Read, Edit, Write, NotebookEdit, mcp__github__search.",
    ],
    [
      "a symbol",
      Symbol("Q"),
      "Error: No such tool available: Symbol(Q). Available: Read, Edit, Write, NotebookEdit, mcp__github__search.",
    ],
  ])("The error for %s lists the nearest names", (_, asked, text) => {
    expect(toolbox.unknownTool(asked)).toBe(`<tool_use_error>${text}</tool_use_error>`);
  });

  test("The error without any tool says so", () => {
    expect(new Toolbox([], undefined).unknownTool("Read")).toBe(
      "<tool_use_error>Error: No such tool available: Read. There are no tools.</tool_use_error>",
    );
  });

  test("At most three names are listed", () => {
    const many = new Toolbox(
      ["ReadA", "ReadB", "ReadC", "ReadD"].map((name) => toolOf(name)),
      undefined,
    );
    expect(many.unknownTool("Read")).toContain("Did you mean ReadA, ReadB, ReadC?");
  });

  test("A name that cannot be converted to text is refused too", () => {
    expect(toolbox.unknownTool(Object.create(null))).toContain("No such tool available");
  });

  test("A very long name is not quoted in full", () => {
    expect(toolbox.unknownTool("x".repeat(1_000_000)).length).toBeLessThan(10_000);
  });
});

describe("Validating input", () => {
  const edit = z.strictObject({
    file_path: z.string(),
    edits: z.array(z.object({ line: z.number().int() })).optional(),
    mode: z.enum(["once", "all"]).default("once"),
  });

  test("Valid input is returned as the schema transforms it", () => {
    expect(validate(edit, { file_path: "/a" })).toEqual({
      ok: true,
      input: { file_path: "/a", mode: "once" },
    });
  });

  test("The error names every wrong field in words that a model can act on", () => {
    const input = { edits: [{ line: 1 }, { line: "2" }, {}], mode: "twice", extra: 1 };
    expect(validate(edit, input)).toEqual(
      invalid(
        "- the required parameter `file_path` is missing",
        "- `edits.1.line`: Invalid input: expected number, received string",
        "- the required parameter `edits.2.line` is missing",
        '- `mode`: Invalid option: expected one of "once"|"all"',
        '- Unrecognized key: "extra"',
      ),
    );
  });

  test.each<[unknown, string]>([
    ["text", "string"],
    [null, "null"],
    [undefined, "undefined"],
    [[], "array"],
  ])("Input that is %j and not an object is reported as such", (input, received) => {
    expect(validate(edit, input)).toEqual(invalid(`- Invalid input: expected object, received ${received}`));
  });

  test("A schema's own message about a missing field is kept", () => {
    const either = z
      .object({ pattern: z.string().optional(), path: z.string().optional() })
      .refine(({ pattern, path }) => (pattern ?? path) !== undefined, {
        path: ["pattern"],
        message: "give either a pattern or a path",
      });
    expect(validate(either, {})).toMatchObject({
      message: expect.stringContaining("give either a pattern or a path"),
    });
  });

  test("A schema can be asynchronous, and its keys can be objects", async () => {
    const issues = [{ message: "too long", path: [{ key: "a" }, 0] }];
    const agrees = standard(async (value) => ({ value }));
    const objects = standard(async () => ({ issues }));
    expect(await validate(agrees, { a: 1 })).toEqual({ ok: true, input: { a: 1 } });
    expect(await validate(objects, { a: ["x"] })).toEqual(invalid("- `a.0`: too long"));
  });

  test("A real schema with an asynchronous check works", async () => {
    const slow = z.object({ a: z.string().refine(async (text) => text !== "no", "not that one") });
    const later = standard((value) => slow["~standard"].validate(value));
    expect(await validate(later, { a: "yes" })).toEqual({ ok: true, input: { a: "yes" } });
    expect(await validate(later, { a: "no" })).toEqual(invalid("- `a`: not that one"));
  });

  const failed = (why: string): object => ({
    ok: false,
    message: `<tool_use_error>InputValidationError: the schema of Edit failed: ${why}</tool_use_error>`,
  });

  test.each<[string, () => unknown]>([
    ["throws", throwing(new Error("a bug"))],
    ["rejects", () => Promise.reject(new Error("a bug"))],
    ["throws text", throwing("a bug")],
  ])("A schema that %s makes the input invalid", async (_, broken) => {
    expect(await validate(standard(broken), {})).toEqual(failed("a bug"));
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["issues that are not a list", { issues: 7 }],
    ["an issue that is none", { issues: [null] }],
    ["a path with a hole", { issues: [{ message: "m", path: [null] }] }],
  ])(
    "A schema that returns something invalid (%s), now or later, makes the input invalid",
    async (_, answer) => {
      const now = standard(() => answer);
      const later = standard(async () => answer);
      expect(await validate(now, { a: 1 })).toMatchObject({ ok: false });
      expect(await validate(later, { a: 1 })).toMatchObject({ ok: false });
    },
  );

  test("A schema that throws an unreadable value makes the input invalid", () => {
    expect(validate(standard(throwing(Object.create(null))), {})).toMatchObject({ ok: false });
  });

  test("The answer of any thenable is awaited", async () => {
    const issues = [{ message: "never this" }];
    // oxlint-disable-next-line unicorn/no-thenable
    const later = { then: (done: (result: SchemaResult<unknown>) => void) => done({ issues }) };
    const schema = standard(() => later);
    expect(await validate(schema, {})).toEqual(invalid("- never this"));
  });

  test("Plain JSON Schema is checked by the given validator", () => {
    const schema = { type: "object", required: ["city"] };
    const check: ValidateJsonSchema = (used, input) =>
      used === schema && !("city" in (input as object))
        ? [{ path: ["city"], message: "required" }]
        : undefined;
    expect(validate(schema, {}, check)).toEqual(invalid("- the required parameter `city` is missing"));
    expect(validate(schema, { city: "Bern" }, check)).toEqual({ ok: true, input: { city: "Bern" } });
    expect(validate(schema, { city: "Bern" }, () => [])).toEqual({ ok: true, input: { city: "Bern" } });
    expect(validate(schema, {}, throwing(new Error("no such draft")))).toEqual(failed("no such draft"));
  });
});

describe("What a call touches (C05)", () => {
  const everything = (mode: "read" | "write") => [{ mode, place: "*" }];
  const careful = { claims: everything("write"), readOnly: false, interrupt: "block", onError: "isolate" };
  const declared = (members: object) =>
    accessOf(toolOf("T", z.object({}), members), { a: 1 }, { cwd: "/repo" });
  const throws = throwing(new Error("a bug"));
  const file = [{ mode: "write", place: "fs:/a" }];

  test.each<[string, object, object]>([
    ["nothing", {}, {}],
    ["that it only looks", { isReadOnly: () => true }, { readOnly: true, claims: everything("read") }],
    [
      "that it is safe, yet does not only look",
      { isConcurrencySafe: () => true },
      { claims: everything("read") },
    ],
    [
      "that it only looks, yet is not safe",
      { isReadOnly: () => true, isConcurrencySafe: () => false },
      { readOnly: true },
    ],
    ["its places", { access: () => file }, { claims: file }],
    ["that it touches nothing shared", { access: () => [] }, { claims: [] }],
    ["that a message cancels it", { interruptBehavior: () => "cancel" }, { interrupt: "cancel" }],
    ["that its failure cancels later calls", { onError: () => "cancel-later" }, { onError: "cancel-later" }],
  ])("A tool that declares %s", (_, members, expected) => {
    expect(declared(members)).toEqual({ ...careful, ...expected });
  });

  test.each<[string, () => unknown]>([
    ["throw", throws],
    ["give nothing", () => undefined],
    ["give a number", () => 1],
    ["give text", () => "true"],
    ["give a promise", () => Promise.resolve(true)],
    ["give an object", () => ({ mode: "read", place: "*" })],
  ])("Declarations that %s count as writing everything", (_, member) => {
    const names = ["isReadOnly", "isConcurrencySafe", "access", "interruptBehavior", "onError"];
    expect(declared(Object.fromEntries(names.map((name) => [name, member])))).toEqual(careful);
  });

  test("isConcurrencySafe that throws is not overridden by isReadOnly", () => {
    expect(declared({ isReadOnly: () => true, isConcurrencySafe: throws })).toEqual({
      ...careful,
      readOnly: true,
    });
  });

  test.each([
    [[null]],
    [[{}]],
    [[{ mode: "look", place: "*" }]],
    [[{ mode: "read", place: "/a" }]],
    [[...file, { mode: "read" }]],
  ])("One invalid claim, as in %j, means that the call writes everything", (claims) => {
    expect(declared({ access: () => claims })).toEqual(careful);
  });

  test("Declarations see the input and the context", () => {
    const seen: unknown[] = [];
    const see = (...args: unknown[]): void => void seen.push(args);
    declared({ isReadOnly: see, isConcurrencySafe: see, access: see, interruptBehavior: see, onError: see });
    expect(seen).toEqual([[{ a: 1 }], [{ a: 1 }], [{ a: 1 }, { cwd: "/repo" }], [{ a: 1 }], [{ a: 1 }]]);
  });
});
