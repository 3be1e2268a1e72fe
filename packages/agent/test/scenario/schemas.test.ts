import { toJsonSchema } from "@valibot/to-json-schema";
import { type AnyTool, defineTool } from "@runahead/engine";
import { type } from "arktype";
import * as v from "valibot";
import { expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import { zodToJsonSchema } from "zod-to-json-schema";
import { runQuery } from "../support/run-query.ts";
import type { Block, ModelRequest } from "../../src/model/message.ts";
import { createAgent } from "../../src/loop/agent.ts";
import { scripted } from "../../src/model/scripted.ts";

const about = { name: "City", description: "A city." };
const ofZod3 = z3.object({ city: z3.string(), days: z3.number().optional() });
const ofValibot = v.object({ city: v.string(), days: v.optional(v.number()) });

/** The input arrives with the type of its schema, whatever the library. */
const TOOLS: Readonly<Record<string, AnyTool>> = {
  "zod 4": defineTool({
    ...about,
    inputSchema: z.object({ city: z.string(), days: z.number().optional() }),
    call: ({ city }) => city.toUpperCase(),
  }),
  "zod 3": defineTool({
    ...about,
    inputSchema: ofZod3,
    jsonSchema: { ...zodToJsonSchema(ofZod3 as never) },
    call: ({ city }) => city.toUpperCase(),
  }),
  valibot: defineTool({
    ...about,
    inputSchema: ofValibot,
    jsonSchema: { ...toJsonSchema(ofValibot) },
    call: ({ city }) => city.toUpperCase(),
  }),
  arktype: defineTool({
    ...about,
    inputSchema: type({ city: "string", "days?": "number" }),
    call: ({ city }) => city.toUpperCase(),
  }),
};

const use = (id: string, input: object): Block => ({ type: "tool_use", id, name: "City", input });

test.each(Object.entries(TOOLS))("a schema of %s is shown to the model and validates", async (_, tool) => {
  const requests: ModelRequest[] = [];
  const model = scripted([
    (request) => {
      requests.push(request);
      return [use("good", { city: "oslo" }), use("bad", { city: 1 })];
    },
    [{ type: "text", text: "Done." }],
  ]);
  const { result } = await runQuery({ model, tools: [tool], prompt: "go" });
  expect(requests[0]?.tools[0]?.input_schema).toMatchObject({
    type: "object",
    properties: { city: { type: "string" }, days: { type: "number" } },
    required: ["city"],
  });
  expect(requests[0]?.tools[0]?.input_schema).not.toHaveProperty("$schema");
  const [good, bad] = (result.messages[2]?.content ?? []) as readonly Block[];
  expect([good?.["content"], good?.["is_error"]]).toEqual(["OSLO", false]);
  expect(bad).toMatchObject({
    is_error: true,
    content: expect.stringMatching(/InputValidationError.*\n.*city/),
  });
});

const MISSING: readonly (readonly [string, unknown, string])[] = [
  [
    "zod 3",
    ofZod3,
    'Zod 3 needs the package zod-to-json-schema: give the tool "jsonSchema: zodToJsonSchema(schema)"',
  ],
  [
    "valibot",
    ofValibot,
    'Valibot needs the package @valibot/to-json-schema: give the tool "jsonSchema: toJsonSchema(schema)"',
  ],
  [
    "another library",
    { "~standard": { version: 1, vendor: "mine", validate: (value: unknown) => ({ value }) } },
    'Give the tool a "jsonSchema" beside "inputSchema".',
  ],
  ["zod before Standard Schema", { safeParse: () => {}, _def: {} }, "Update Zod to 3.25 or later"],
  ["a date", z.object({ at: z.date() }), "Date cannot be represented in JSON Schema"],
];

test.each(MISSING)("without JSON Schema, an agent says what is missing: %s", (_, inputSchema, remedy) => {
  const tool = { ...about, inputSchema, call: () => "" };
  const made = (): unknown => createAgent({ model: scripted([]), tools: [tool] });
  expect(made).toThrow(TypeError);
  expect(made).toThrow('The input schema of tool "City" ');
  expect(made).toThrow(remedy);
});
