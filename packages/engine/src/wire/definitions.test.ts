import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as zod3 } from "zod/v3";
import { runTools } from "../runtime/run-tools.ts";
import { type AnyTool, defineTool } from "../runtime/tool.ts";
import { toAnthropicTools, toOpenAiTools } from "./definitions.ts";

function toolWith(inputSchema: unknown, rest: object = {}): AnyTool {
  return {
    name: "Add",
    description: "Adds.",
    inputSchema,
    call: (input) => JSON.stringify(input),
    ...rest,
  };
}

/** What every library makes of the same schema; some add what they do by default. */
const OBJECT = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };

const LIBRARIES: readonly (readonly [name: string, schema: unknown])[] = [
  ["Zod 4", z.object({ count: z.number() })],
  ["Zod 3", zod3.object({ count: zod3.number() })],
  ["Valibot", v.object({ count: v.number() })],
  ["ArkType", type({ count: "number" })],
];

test.each(LIBRARIES)("the engine validates input with %s", async (_name, schema) => {
  const calls = [
    { id: "1", name: "Add", input: { count: 1 } },
    { id: "2", name: "Add", input: { count: "one" } },
  ];
  const results: unknown[] = [];
  for await (const update of runTools(calls, { tools: [toolWith(schema)] }))
    if (update.type === "result") results.push([update.result.is_error, update.result.content]);
  expect(results).toEqual([
    [false, '{"count":1}'],
    [true, expect.stringContaining("InputValidationError: Add cannot take this input")],
  ]);
});

test.each([
  ["Zod 4", z.object({ count: z.number() })],
  ["ArkType", type({ count: "number" })],
  ["Valibot, wrapped", toStandardJsonSchema(v.object({ count: v.number() }))],
  ["plain JSON Schema", OBJECT],
  ["plain JSON Schema without a type", { properties: OBJECT.properties, required: OBJECT.required }],
])("JSON Schema comes from %s", (_name, schema) => {
  const [definition] = toAnthropicTools([toolWith(schema)]);
  expect(definition).toMatchObject({ name: "Add", description: "Adds.", input_schema: OBJECT });
  expect(definition?.input_schema).not.toHaveProperty("$schema");
});

test("Zod 3, and any library that cannot write JSON Schema, works with jsonSchema", () => {
  const tool = toolWith(zod3.object({ count: zod3.number() }), { jsonSchema: OBJECT });
  expect(toAnthropicTools([tool])[0]?.input_schema).toEqual(OBJECT);
});

test.each([
  [
    zod3.object({}),
    'Zod 3 needs the package zod-to-json-schema: give the tool "jsonSchema: zodToJsonSchema(schema)"',
  ],
  [v.object({}), "Valibot needs the package @valibot/to-json-schema"],
  [
    { "~standard": { version: 1, vendor: "mine", validate: () => ({ value: {} }) } },
    'The input schema of tool "Add" cannot be converted to JSON Schema, which the model needs. Give the tool a "jsonSchema" beside "inputSchema".',
  ],
  [
    z.object({ at: z.date() }),
    "cannot be converted to JSON Schema: Date cannot be represented in JSON Schema.",
  ],
])("the error says what is missing: %#", (schema, said) => {
  expect(() => toAnthropicTools([toolWith(schema)])).toThrow(TypeError);
  expect(() => toAnthropicTools([toolWith(schema)])).toThrow(said);
});

test("the same tool returns the same object, and OpenAI's formats contain the same schema", () => {
  const tool = defineTool({
    name: "Add",
    description: "Adds.",
    inputSchema: type({ count: "number" }),
    call: ({ count }) => count + 1,
  });
  const [first] = toAnthropicTools([tool]);
  expect(toAnthropicTools([tool])[0]).toBe(first);
  const parameters = first?.input_schema;
  expect(toOpenAiTools([tool])).toEqual({
    chat: [{ type: "function", function: { name: "Add", description: "Adds.", parameters } }],
    responses: [{ type: "function", name: "Add", description: "Adds.", parameters, strict: false }],
  });
});
