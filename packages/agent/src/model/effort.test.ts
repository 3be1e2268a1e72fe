import { afterEach, expect, test } from "vitest";
import { modelServer, type ModelServer, sse } from "../../test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../test/support/responses.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { chatWire, responsesWire } from "../../test/support/wires.ts";
import { anthropic } from "./anthropic.ts";
import type { ThinkingOptions } from "./effort.ts";
import type { Model } from "./event.ts";
import type { ModelFacts } from "./models.ts";
import { openai } from "./openai.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** The body of the request that a model sends in the loop. */
async function sent(answer: string, make: (url: string) => Model): Promise<Record<string, unknown>> {
  const server = await modelServer({ pieces: [answer] });
  servers.push(server);
  await runQuery({ model: make(server.url), tools: [], prompt: "go" });
  return server.requests[0]?.body ?? {};
}

const MESSAGES = sse([messageStart, ...textBlock(0, "ok"), ...messageEnd("end_turn")]);
const claude = (model: string, options: ThinkingOptions & { facts?: ModelFacts } = {}) =>
  sent(MESSAGES, (baseURL) => anthropic({ model, apiKey: "key", baseURL, ...options }));
const gpt = (model: string, options: ThinkingOptions, api: "chat" | "responses" = "responses") =>
  sent((api === "chat" ? chatWire : responsesWire)({ text: "ok", calls: [] }).whole, (url) =>
    openai({ model, apiKey: "key", baseURL: `${url}/v1`, api, ...options }),
  );

test("without effort and thinking, the model's own defaults apply", async () => {
  const body = await claude("claude-sonnet-5");
  expect(body).not.toHaveProperty("thinking");
  expect(body).not.toHaveProperty("output_config");
  expect(await gpt("gpt-5.2", {})).not.toHaveProperty("reasoning");
});

test("effort has the form that each model takes", async () => {
  expect(await claude("claude-sonnet-5", { effort: "max" })).toMatchObject({
    output_config: { effort: "max" },
    thinking: { type: "adaptive" },
  });
  // Without levels of its own, the model gets a budget that leaves room for the answer.
  const old = await claude("claude-haiku-4-5", { effort: "max" });
  expect(old).toMatchObject({ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 30_976 } });
  expect(old).not.toHaveProperty("output_config");
  expect(await claude("claude-opus-4-5", { effort: "xhigh" })).toMatchObject({
    output_config: { effort: "high" },
  });
  expect(await claude("claude-next", { effort: "xhigh" })).toMatchObject({
    output_config: { effort: "xhigh" },
  });
  expect(await gpt("gpt-5.2", { effort: "max" })).toMatchObject({ reasoning: { effort: "xhigh" } });
  expect(await gpt("gpt-5", { effort: "xhigh" }, "chat")).toMatchObject({ reasoning_effort: "high" });
  expect(await gpt("gpt-4.1", { effort: "high" })).not.toHaveProperty("reasoning");
});

test("thinking can be adaptive, off or within a budget", async () => {
  expect(await claude("claude-opus-4-6", { thinking: "adaptive" })).toMatchObject({
    thinking: { type: "adaptive" },
  });
  expect(await claude("claude-sonnet-5", { thinking: "off" })).toMatchObject({
    thinking: { type: "disabled" },
  });
  const budget = { thinking: { budgetTokens: 5_000 } };
  expect(await claude("claude-haiku-4-5", budget)).toMatchObject({
    thinking: { type: "enabled", budget_tokens: 5_000 },
  });
  expect(await claude("claude-opus-5", budget)).toMatchObject({ thinking: { type: "adaptive" } });
  expect(await gpt("gpt-5.2", { thinking: "off" })).toMatchObject({ reasoning: { effort: "none" } });
  expect(await gpt("gpt-5.2", budget)).toMatchObject({ reasoning: { effort: "low" } });
});

test("wrong levels and budgets are refused", () => {
  expect(() => anthropic({ model: "m", effort: "extreme" as "max" })).toThrow("effort");
  expect(() => openai({ model: "m", thinking: { budgetTokens: -1 } })).toThrow("budgetTokens");
  expect(() => openai({ model: "m", thinking: "on" as "off" })).toThrow(
    '"adaptive", "off" or { budgetTokens }',
  );
});

test("the output limit is the model's own if that is lower, also for models that are not in the table", async () => {
  expect(await claude("claude-sonnet-5")).toMatchObject({ max_tokens: 32_000 });
  expect(await claude("tiny", { facts: { maxOutputTokens: 4_000 } })).toMatchObject({ max_tokens: 4_000 });
});
