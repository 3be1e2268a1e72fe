import { type } from "arktype";
import * as v from "valibot";
import { afterEach, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import { zodToJsonSchema } from "zod-to-json-schema";
import { type ModelServer, modelServer } from "../../test/support/model-server.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { anthropic } from "../model/anthropic.ts";
import type { Model } from "../model/event.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { openai } from "../model/openai.ts";
import { type ScriptedTurn, scripted } from "../model/scripted.ts";
import { createAgent } from "./agent.ts";
import type { QueryOptions } from "./options.ts";
import { query } from "./query.ts";
import type { StructuredOutput } from "./structured-output.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const SCHEMA = z.object({ count: z.number().int() });
const NODE = z.object({
  get next() {
    return NODE.nullable();
  },
});
const JSON_SCHEMA = {
  type: "object",
  properties: { count: { type: "integer" } },
  required: ["count"],
} as const;

const validateJsonSchema: NonNullable<QueryOptions["validateJsonSchema"]> = (_schema, input) =>
  Number.isInteger((input as { readonly count?: unknown }).count)
    ? undefined
    : [{ path: ["count"], message: "must be an integer" }];

const text = (said: string): Block => ({ type: "text", text: said });
const answer = (input: unknown, id = "1"): Block => ({
  type: "tool_use",
  id,
  name: "StructuredOutput",
  input,
});

function noting(turns: readonly ScriptedTurn[], facts: Model["facts"] = {}) {
  const requests: ModelRequest[] = [];
  const model = scripted(
    turns.map((turn) => (request: ModelRequest) => {
      requests.push(request);
      return typeof turn === "function" ? turn(request) : turn;
    }),
  );
  return { requests, model: { ...model, facts } };
}

async function asked(turns: readonly ScriptedTurn[], options: Partial<QueryOptions> = {}) {
  const { model, requests } = noting(turns);
  const { result, events } = await runQuery({
    model,
    tools: [],
    prompt: "go",
    outputSchema: SCHEMA,
    ...options,
  });
  return { result, events, requests, output: result.output };
}

const valid = (value: unknown): StructuredOutput => ({ type: "valid", value });

test("a model without a schema of its own answers by a call, which ends the run", async () => {
  const { result, output, requests } = await asked([[text("Let me count."), answer({ count: 3 })]]);
  expect([result.reason, result.turns, output]).toEqual(["completed", 1, valid({ count: 3 })]);
  expect(requests[0]?.tools).toEqual([
    expect.objectContaining({
      name: "StructuredOutput",
      input_schema: expect.objectContaining({ required: ["count"] }) as unknown,
    }),
  ]);
  expect(requests[0]?.system).toContain("call StructuredOutput");
});

test("a model whose facts say so gets the schema with the request, and answers with text", async () => {
  const { model, requests } = noting([[text('{"count": 3}')]], { structuredOutput: true });
  const { result } = await runQuery({ model, tools: [], prompt: "go", outputSchema: SCHEMA });
  expect(result.output).toEqual(valid({ count: 3 }));
  expect([requests[0]?.tools, requests[0]?.system, requests[0]?.outputSchema]).toEqual([
    [],
    "",
    expect.objectContaining({ required: ["count"], additionalProperties: false }),
  ]);
});

test.each([
  ["optional members", z.object({ a: z.string().optional() })],
  ["any members", z.record(z.string(), z.number())],
  ["itself", NODE],
])("a schema with %s is not one that providers enforce, so a tool is used", async (_what, outputSchema) => {
  const { model, requests } = noting([[text("{}")]], { structuredOutput: true });
  await runQuery({ model, tools: [], prompt: "go", outputSchema, maxTurns: 1 });
  expect([requests[0]?.outputSchema, requests[0]?.tools.length]).toEqual([undefined, 1]);
});

test("limits that providers do not enforce are described to the model and validated here", async () => {
  const { model, requests } = noting([[text('{"n": 11}')], [text('{"n": 10}')]], { structuredOutput: true });
  const outputSchema = z.object({ n: z.number().max(10).describe("A mark.") });
  const { result } = await runQuery({ model, tools: [], prompt: "go", outputSchema });
  expect(result.output).toEqual(valid({ n: 10 }));
  expect(requests[0]?.outputSchema).toMatchObject({
    properties: { n: { type: "number", description: 'A mark. {"maximum":10}' } },
  });
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("n Too big");
});

test("text that fits the schema is an answer too, also in a code fence", async () => {
  expect((await asked([[text('```json\n{"count": 4}\n```')]])).output).toEqual(valid({ count: 4 }));
});

test("an invalid answer is returned to the model with the reasons, at most twice", async () => {
  const second = await asked([[text("There are 3.")], [answer({ count: 3 })]]);
  expect([second.result.turns, second.output]).toEqual([2, valid({ count: 3 })]);
  expect(second.requests[1]?.messages.at(-1)?.content).toMatch(
    /^Your answer is not valid: It is not JSON: .* Call StructuredOutput with your answer\.$/,
  );
  const never = await asked([
    [text("{")],
    [answer({ count: "three" }, "1")],
    [answer({ count: 1.5 }, "2")],
    [answer({ count: 3 }, "3")],
  ]);
  expect([never.requests.length, never.result.reason, never.output]).toEqual([
    3,
    "completed",
    { type: "invalid", message: expect.stringContaining("count ") as string },
  ]);
  expect(JSON.stringify(never.requests[2]?.messages.at(-1))).toContain("InputValidationError");
});

test("a run that ends early says so", async () => {
  const { output } = await asked([[{ type: "tool_use", id: "1", name: "Nothing", input: {} }]], {
    maxTurns: 1,
  });
  expect(output).toEqual({ type: "invalid", message: "The run ended without an answer (max_turns)." });
});

test.each([
  ["an array", z.array(z.string()), ["a"]],
  ["a text", z.string(), "a"],
  ["a union", z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]), { b: 1 }],
  ["a number or nothing", z.number().nullable(), null],
])(
  "an answer that is %s is put into an object for the API, and taken out again",
  async (_name, schema, value) => {
    const byTool = await asked([[answer({ answer: value })]], { outputSchema: schema });
    expect(byTool.output).toEqual(valid(value));
    expect(byTool.requests[0]?.tools[0]?.input_schema).toMatchObject({
      type: "object",
      required: ["answer"],
    });
    const { model, requests } = noting([[text(JSON.stringify({ answer: value }))]], {
      structuredOutput: true,
    });
    const { result } = await runQuery({ model, tools: [], prompt: "go", outputSchema: schema });
    expect(result.output).toEqual(valid(value));
    expect(requests[0]?.outputSchema).toMatchObject({ type: "object", required: ["answer"] });
    expect((await asked([[text(JSON.stringify(value))]], { outputSchema: schema })).output).toEqual(
      valid(value),
    );
  },
);

const zod3 = z3.object({ count: z3.number().int() });
const valibot = v.object({ count: v.pipe(v.number(), v.integer()) });
test.each([
  ["Zod 4", { outputSchema: SCHEMA }],
  ["Zod 3", { outputSchema: zod3, outputJsonSchema: zodToJsonSchema(zod3 as never) as typeof JSON_SCHEMA }],
  ["Valibot", { outputSchema: valibot, outputJsonSchema: JSON_SCHEMA }],
  ["ArkType", { outputSchema: type({ count: "number.integer" }) as unknown as QueryOptions["outputSchema"] }],
  ["JSON Schema", { outputSchema: JSON_SCHEMA, validateJsonSchema }],
])("the schema can be made with %s", async (_library, options) => {
  const turns = [[answer({ count: 1.5 })], [answer({ count: 3 })]];
  expect((await asked(turns, options as Partial<QueryOptions>)).output).toEqual(valid({ count: 3 }));
});

test("the value is what the schema makes of the answer", async () => {
  const outputSchema = z.object({ on: z.string().transform((on) => new Date(on)) });
  const { output } = await asked([[answer({ on: "2026-01-01" })]], {
    outputSchema,
    outputJsonSchema: { type: "object", properties: { on: { type: "string" } } },
  });
  expect(output).toEqual(valid({ on: new Date("2026-01-01") }));
});

test("the answer needs no permission, and other calls do", async () => {
  const seen: string[] = [];
  const { output } = await asked([[answer({ count: 1 })]], {
    canUseTool: ({ name }) => {
      seen.push(name);
      return { behavior: "deny", reason: "no" };
    },
  });
  expect([output, seen]).toEqual([valid({ count: 1 }), []]);
});

test("with the tool choice none the schema is in the system prompt", async () => {
  const { requests, output } = await asked([[text('{"count": 2}')]], { toolChoice: "none" });
  expect([requests[0]?.tools, output]).toEqual([[], valid({ count: 2 })]);
  expect(requests[0]?.system).toContain('"count"');
});

test("after an answer there is nothing to resume, and a new prompt gets a new answer", async () => {
  const { model, requests } = noting([[answer({ count: 1 }, "1")], [answer({ count: 2 }, "2")]]);
  const agent = createAgent({ model, tools: [], outputSchema: SCHEMA });
  const first = await agent.send("one");
  expectTypeOf(first.output).toEqualTypeOf<StructuredOutput<{ count: number }> | undefined>();
  expect([first.output, (await agent.resume()).detail]).toEqual([
    valid({ count: 1 }),
    "there is nothing to answer",
  ]);
  expect((await agent.send("two")).output).toEqual(valid({ count: 2 }));
  expect(requests).toHaveLength(2);
  await agent.close();
});

test("the type of the answer follows from the schema", async () => {
  const { model } = noting([[answer({ count: 1 })]]);
  const running = query({ model, tools: [], prompt: "go", outputSchema: SCHEMA });
  for (;;) {
    const next = await running.next();
    if (next.done !== true) continue;
    expectTypeOf(next.value.output).toEqualTypeOf<StructuredOutput<{ count: number }> | undefined>();
    return;
  }
});

test("each provider gets the schema in the words of its API", async () => {
  const server = await modelServer();
  servers.push(server);
  const at = `${server.url}/v1`;
  const models = [
    anthropic({ model: "claude-opus-4-6", apiKey: "key", baseURL: server.url, effort: "low" }),
    openai({ model: "gpt-5.2", apiKey: "key", baseURL: at, api: "responses" }),
    openai({ model: "gpt-5.2", apiKey: "key", baseURL: at, api: "chat" }),
    openai({ model: "qwen3", apiKey: "key", baseURL: at, api: "chat" }),
    anthropic({ model: "claude-sonnet-4", apiKey: "key", baseURL: server.url }),
  ];
  const retry = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0, random: () => 0 };
  for (const model of models) await runQuery({ model, tools: [], prompt: "go", outputSchema: SCHEMA, retry });
  const [messages, responses, chat, ...byTool] = server.requests.map(({ body }) => body);
  const schema = expect.objectContaining({ required: ["count"], additionalProperties: false }) as unknown;
  expect(messages?.["output_config"]).toEqual({ effort: "low", format: { type: "json_schema", schema } });
  expect(responses?.["text"]).toEqual({
    format: { type: "json_schema", name: "answer", strict: true, schema },
  });
  expect(chat?.["response_format"]).toEqual({
    type: "json_schema",
    json_schema: { name: "answer", strict: true, schema },
  });
  for (const body of byTool) expect(body["tools"]).toHaveLength(1);
});

test.each([
  "output_config.format: Extra inputs are not permitted",
  // Servers have no code for it, and words of their own.
  "Unexpected field",
])("a server that refuses the schema with %j is asked again with the tool", async (message) => {
  const server = await modelServer({
    status: 400,
    headers: { "content-type": "application/json" },
    pieces: [JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } })],
  });
  servers.push(server);
  const model = anthropic({ model: "claude-opus-4-6", apiKey: "key", baseURL: server.url });
  const retry = { attempts: 1, firstWaitMs: 0, longestWaitMs: 0, random: () => 0 };
  await runQuery({ model, tools: [], prompt: "go", outputSchema: SCHEMA, retry });
  expect(server.requests.map(({ body }) => [body["output_config"] === undefined, body["tools"]])).toEqual([
    [false, undefined],
    [true, [expect.objectContaining({ name: "StructuredOutput" })]],
  ]);
});

test("a schema that the model could not get is refused before anything runs", () => {
  const { model } = noting([]);
  const made = (options: object) => () => createAgent({ model, tools: [], ...options });
  expect(made({ outputSchema: JSON_SCHEMA })).toThrow("Pass validateJsonSchema");
  expect(made({ outputSchema: zod3 })).toThrow('Pass it as "outputJsonSchema"');
  expect(made({ outputSchema: "count" })).toThrow('"outputSchema" must be a schema');
  expect(made({ outputJsonSchema: JSON_SCHEMA })).toThrow('needs "outputSchema"');
});
