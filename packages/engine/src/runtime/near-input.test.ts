import { expect, test } from "vitest";
import { z } from "zod";
import { unknownParameters, withDeclaredTypes } from "./near-input.ts";
import { runTools } from "./run-tools.ts";
import { type AnyTool, defineTool } from "./tool.ts";

const read = defineTool({
  name: "Read",
  description: "Reads.",
  inputSchema: z.object({
    file_path: z.string(),
    offset: z.int().optional(),
    ratio: z.number().optional(),
    all: z.boolean().optional(),
    names: z.array(z.string()).optional(),
    place: z.object({ at: z.number() }).optional(),
  }),
  call: (input) => JSON.stringify(input),
}) as AnyTool;

async function resultOf(input: unknown): Promise<unknown> {
  for await (const update of runTools([{ id: "1", name: "Read", input }], { tools: [read] }))
    if (update.type === "result") return update.result.content;
  return undefined;
}

test("values sent as strings are converted to the type in the schema if their meaning is certain", async () => {
  const sent = {
    file_path: "7",
    offset: "12",
    ratio: "-0.5",
    all: "false",
    names: '["a"]',
    place: '{"at": 1}',
  };
  expect(JSON.parse(String(await resultOf(sent)))).toEqual({
    file_path: "7",
    offset: 12,
    ratio: -0.5,
    all: false,
    names: ["a"],
    place: { at: 1 },
  });
});

test.each([
  { offset: "12px" },
  { offset: "1.5" },
  { offset: "" },
  { offset: "0x10" },
  { offset: "99999999999999999999" },
  { all: "yes" },
  { names: "a, b" },
  { names: '{"0": "a"}' },
  { place: "[1]" },
])("a value whose meaning is not certain is refused: %j", async (given) => {
  expect(withDeclaredTypes(read, given)).toBeUndefined();
  expect(await resultOf({ file_path: "a", ...given })).toContain(
    "InputValidationError: Read cannot take this input",
  );
});

test("the error for a misspelt parameter suggests the right name", async () => {
  expect(await resultOf({ path: "a" })).toBe(
    "<tool_use_error>InputValidationError: Read cannot take this input:\n" +
      "- the required parameter `file_path` is missing\n" +
      "- unknown parameter `path`; did you mean `file_path`?</tool_use_error>",
  );
  expect(unknownParameters(read, { filePath: "a" })).toEqual([
    "unknown parameter `filePath`; did you mean `file_path`?",
  ]);
  expect(unknownParameters(read, { colour: "red" })).toEqual(["unknown parameter `colour`"]);
});

test("a schema that cannot be read as JSON Schema gets no suggestions", () => {
  const inputSchema = { "~standard": { version: 1, vendor: "mine", validate: () => ({ issues: [] }) } };
  const odd = { ...read, inputSchema } as unknown as AnyTool;
  expect([unknownParameters(odd, { a: 1 }), withDeclaredTypes(odd, { a: "1" })]).toEqual([[], undefined]);
});
