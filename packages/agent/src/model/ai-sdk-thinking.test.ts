import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterEach, expect, test, vi } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { type ModelServer, modelServer, sse } from "../../test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../test/support/responses.ts";
import { chatWire } from "../../test/support/wires.ts";
import { type AiSdkModel, type AiSdkOptions, aiSdk } from "./ai-sdk.ts";
import { aiSdkThinking } from "./ai-sdk-thinking.ts";
import type { ThinkingOptions } from "./effort.ts";
import { knownFacts } from "./models.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const MESSAGES = sse([messageStart, ...textBlock(0, "ok"), ...messageEnd("end_turn")]);
const CHAT = chatWire({ text: "ok", calls: [] }).whole;

/** The body of the request that a provider of the AI SDK sends. */
async function sent(answer: string, make: (url: string) => AiSdkModel, options: AiSdkOptions) {
  const server = await modelServer({ pieces: [answer] });
  servers.push(server);
  const request = {
    system: "",
    tools: [],
    messages: [{ role: "user", content: "go" }],
    maxTokens: 20_000,
  } as const;
  await collect(aiSdk(make(`${server.url}/v1`), options).stream(request, new AbortController().signal));
  return server.requests[0]?.body ?? {};
}

const claude = (model: string, options: AiSdkOptions) =>
  sent(MESSAGES, (baseURL) => createAnthropic({ apiKey: "key", baseURL })(model), options);
const gpt = (options: AiSdkOptions) =>
  sent(CHAT, (baseURL) => createOpenAI({ apiKey: "key", baseURL }).chat("gpt-5"), options);

test("effort and thinking reach the wire through the providers' own options", async () => {
  expect(await claude("claude-opus-4-5", { effort: "high" })).toMatchObject({
    output_config: { effort: "high" },
  });
  expect(await claude("claude-haiku-4-5", { thinking: { budgetTokens: 4_000 } })).toMatchObject({
    thinking: { type: "enabled", budget_tokens: 4_000 },
  });
  expect(await claude("claude-haiku-4-5", { effort: "low" })).toMatchObject({
    thinking: { type: "enabled", budget_tokens: 4_000 },
  });
  expect(await gpt({ effort: "low" })).toMatchObject({ reasoning_effort: "low" });
  const local = (baseURL: string) => createOpenAICompatible({ name: "local", baseURL })("qwen");
  expect(await sent(CHAT, local, { effort: "max" })).toMatchObject({ reasoning_effort: "high" });
});

test("the caller's own provider options win", async () => {
  const providerOptions = { openai: { reasoningEffort: "high", user: "me" } };
  expect(await gpt({ effort: "low", providerOptions })).toMatchObject({
    reasoning_effort: "high",
    user: "me",
  });
});

const words = (provider: string, options: ThinkingOptions, { modelId = "m", version = "v3" } = {}) =>
  aiSdkThinking(options, { specificationVersion: version, provider, modelId, facts: knownFacts(modelId) });

test("each provider gets its own words", () => {
  const budget = { thinking: { budgetTokens: 2_000 } };
  const options = (provider: string, wish: ThinkingOptions, modelId = "m") =>
    words(provider, wish, { modelId })?.["providerOptions"];
  expect(options("google.generative-ai", budget)).toMatchObject({
    google: { thinkingConfig: { thinkingBudget: 2_000 } },
  });
  expect(options("google.generative-ai", { effort: "low" }, "gemini-3-pro")).toMatchObject({
    google: { thinkingConfig: { thinkingLevel: "low" } },
  });
  expect(options("google.vertex.chat", { thinking: "off" })).toMatchObject({
    vertex: { thinkingConfig: { thinkingBudget: 0 } },
  });
  expect(options("amazon-bedrock", budget)).toEqual({
    bedrock: { reasoningConfig: { type: "enabled", budgetTokens: 2_000 } },
  });
  expect(options("xai.chat", { effort: "max" })).toEqual({ xai: { reasoningEffort: "high" } });
  expect(options("deepseek.chat", { thinking: "off" })).toEqual({
    deepseek: { thinking: { type: "disabled" } },
  });
  expect(options("cohere.chat", budget)).toEqual({
    cohere: { thinking: { type: "enabled", tokenBudget: 2_000 } },
  });
  expect(options("vertex.anthropic.messages", budget, "claude-opus-5")).toEqual({
    anthropic: { thinking: { type: "adaptive" } },
  });
});

test("from version 4 on, a level is a member of the call", () => {
  expect(words("mistral.chat", { effort: "max" }, { version: "v4" })).toEqual({ reasoning: "xhigh" });
  expect(words("mistral.chat", { thinking: "off" }, { version: "v4" })).toEqual({ reasoning: "none" });
  expect(words("mistral.chat", {}, { version: "v4" })).toEqual({});
});

test("if a provider has no known option, a warning says that effort has no effect", () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const model = { specificationVersion: "v3", provider: "mistral.chat", modelId: "large", doStream: vi.fn() };
  aiSdk(model);
  expect(warn).not.toHaveBeenCalled();
  aiSdk(model, { effort: "high" });
  expect(warn.mock.calls[0]?.[0]).toContain("effort and thinking have no effect on models of mistral.chat");
});
