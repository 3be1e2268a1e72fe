import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { type ModelServer, modelServer } from "../../test/support/model-server.ts";
import { aiSdk } from "./ai-sdk.ts";
import { anthropic } from "./anthropic.ts";
import type { Model } from "./event.ts";
import type { ModelRequest } from "./message.ts";
import { openai } from "./openai.ts";
import type { ToolChoice } from "./tool-choice.ts";

const TOOL = { name: "Read", description: "Reads", input_schema: { type: "object", properties: {} } };
const REQUEST: ModelRequest = {
  system: "",
  tools: [TOOL],
  messages: [{ role: "user", content: "go" }],
  maxTokens: 9_000,
};

/** Refuses everything: only the requests matter here. */
let server: ModelServer;
beforeAll(async () => void (server = await modelServer()));
afterAll(() => server.close());

const MODELS = {
  anthropic: () => anthropic({ model: "claude-test", apiKey: "key", baseURL: server.url }),
  chat: () => openai({ model: "gpt-test", apiKey: "key", baseURL: `${server.url}/v1`, api: "chat" }),
  responses: () =>
    openai({ model: "gpt-test", apiKey: "key", baseURL: `${server.url}/v1`, api: "responses" }),
  aiSdkAnthropic: () => aiSdk(createAnthropic({ apiKey: "key", baseURL: `${server.url}/v1` })("claude-test")),
  aiSdkChat: () => aiSdk(createOpenAI({ apiKey: "key", baseURL: `${server.url}/v1` }).chat("gpt-test")),
} satisfies Record<string, () => Model>;

async function sent(model: Model, request: ModelRequest) {
  const before = server.requests.length;
  // A model can throw before it returns a stream.
  const error = await Promise.resolve(request)
    .then(async (asked) => (await collect(model.stream(asked, new AbortController().signal))).error)
    .catch((thrown: unknown) => thrown);
  return { body: server.requests[before]?.body, error: String(error) };
}

const named: ToolChoice = { tool: "Read" };

test.each([
  ["anthropic", "auto", undefined],
  ["anthropic", "none", { type: "none" }],
  ["anthropic", "required", { type: "any" }],
  ["anthropic", named, { type: "tool", name: "Read" }],
  ["chat", "auto", undefined],
  ["chat", "none", "none"],
  ["chat", "required", "required"],
  ["chat", named, { type: "function", function: { name: "Read" } }],
  ["responses", "auto", undefined],
  ["responses", "none", "none"],
  ["responses", "required", "required"],
  ["responses", named, { type: "function", name: "Read" }],
  ["aiSdkAnthropic", "required", { type: "any" }],
  ["aiSdkAnthropic", named, { type: "tool", name: "Read" }],
  ["aiSdkChat", "none", "none"],
  ["aiSdkChat", "required", "required"],
  ["aiSdkChat", named, { type: "function", function: { name: "Read" } }],
] as const)("%s sends the choice %j in the words of its API", async (name, toolChoice, expected) => {
  const { body } = await sent(MODELS[name](), { ...REQUEST, toolChoice });
  expect(body?.["tool_choice"]).toEqual(expected);
  expect(body?.["tools"]).toHaveLength(1);
});

test.each(Object.keys(MODELS) as (keyof typeof MODELS)[])(
  "%s refuses a choice that names a tool the request does not have, and sends nothing",
  async (name) => {
    const model = MODELS[name]();
    const wrong = await sent(model, { ...REQUEST, toolChoice: { tool: "Reed" } });
    expect([wrong.body, wrong.error]).toEqual([undefined, expect.stringContaining('the tool "Reed"')]);
    expect(wrong.error).toContain("Tools: Read.");
    const none = await sent(model, { ...REQUEST, tools: [], toolChoice: "required" });
    expect([none.body, none.error]).toEqual([undefined, expect.stringContaining("has no tools")]);
    const fine = await sent(model, { ...REQUEST, tools: [], toolChoice: "none" });
    expect([fine.body === undefined, fine.body?.["tool_choice"]]).toEqual([false, undefined]);
  },
);

test("a forced call is refused with words that help if the model thinks, and other choices are not", async () => {
  const thinking = [
    anthropic({
      model: "claude-sonnet-4-5",
      apiKey: "key",
      baseURL: server.url,
      thinking: { budgetTokens: 2_000 },
    }),
    anthropic({ model: "claude-opus-4-6", apiKey: "key", baseURL: server.url, effort: "high" }),
    aiSdk(createAnthropic({ apiKey: "key", baseURL: `${server.url}/v1` })("claude-sonnet-4-5"), {
      thinking: { budgetTokens: 2_000 },
    }),
  ];
  for (const model of thinking) {
    for (const toolChoice of ["required", named] as const) {
      const { body, error } = await sent(model, { ...REQUEST, toolChoice });
      expect([body, error]).toEqual([undefined, expect.stringContaining("cannot be combined with thinking")]);
    }
    expect((await sent(model, { ...REQUEST, toolChoice: "none" })).body?.["tool_choice"]).toEqual({
      type: "none",
    });
  }
  const off = anthropic({ model: "claude-opus-4-6", apiKey: "key", baseURL: server.url, thinking: "off" });
  expect((await sent(off, { ...REQUEST, toolChoice: "required" })).body?.["tool_choice"]).toEqual({
    type: "any",
  });
});
