import { afterEach, expect, test } from "vitest";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../../test/support/model-server.ts";
import { read } from "../../test/support/read-tool.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../test/support/responses.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { anthropic } from "../model/anthropic.ts";
import { openai } from "../model/openai.ts";
import type { Message } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import type { AgentEvent } from "./event.ts";
import type { QueryOptions } from "./options.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const run = (options: Omit<QueryOptions, "prompt" | "tools">) =>
  runQuery({ prompt: "go", tools: [read], ...options });

async function served(...answers: readonly ScriptedAnswer[]) {
  const server = await modelServer(...answers);
  servers.push(server);
  return { server, model: anthropic({ model: "claude-opus-4-6", apiKey: "key", baseURL: server.url }) };
}

const response = (...events: readonly object[]): ScriptedAnswer => ({
  pieces: [sse([messageStart, ...events])],
});
const said = (text: string): ScriptedAnswer => response(...textBlock(0, text), ...messageEnd("end_turn"));
const reads = (id: string): ScriptedAnswer =>
  response(...callBlock(0, id, `{"file_path": "${id}.ts"}`), ...messageEnd("tool_use"));
const refused = (message: string): ScriptedAnswer => ({
  status: 400,
  headers: { "content-type": "application/json" },
  pieces: [JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } })],
});
const noticesOf = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === "notice" ? [event.message] : []));

const thought: Message[] = [
  { role: "user", content: "think" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm", signature: "old" },
      { type: "text", text: "So." },
    ],
  },
];
const pictured: Message[] = [
  {
    role: "user",
    content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
  },
  { role: "assistant", content: "Nice." },
];

test("B16, G10: stale thinking is removed once, and the session continues", async () => {
  const { server, model } = await served(
    refused("messages.1.content.0: Invalid `signature` in `thinking` block"),
    said("Done."),
  );
  const { events, result } = await run({ model, messages: [...thought, ...pictured] });
  expect([result.text, server.requests.length]).toEqual(["Done.", 2]);
  const sent = JSON.stringify(server.requests[1]?.body["messages"]);
  expect([sent.includes("thinking"), sent.includes("image/png")]).toEqual([false, true]);
  expect(noticesOf(events)[0]).toContain("Invalid `signature` in `thinking` block");
});

test("G10, C15: an image that the server rejects is replaced by a text", async () => {
  const { server, model } = await served(
    refused("messages.0.content.0: Could not process image"),
    said("Done."),
  );
  const { result } = await run({ model, messages: [...pictured, ...thought] });
  expect(result.text).toBe("Done.");
  const sent = JSON.stringify(server.requests[1]?.body["messages"]);
  expect([sent.includes("AAAA"), sent.includes("[image ("), sent.includes('"signature":"old"')]).toEqual([
    false,
    true,
    true,
  ]);
});

test("B16: a server that requires reasoning of every answer gets it, and the reasoning of its own answers stays", async () => {
  const end = { id: "c", choices: [{ index: 0, delta: { content: "Done." }, finish_reason: "stop" }] };
  const answer: ScriptedAnswer = { pieces: [sse([end])] };
  for (const complaint of [
    "Missing `reasoning_content` field in the assistant message at message index 1.",
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 3",
  ]) {
    const server = await modelServer(refused(complaint), answer);
    servers.push(server);
    const model = openai({ model: "thinker", apiKey: "key", baseURL: `${server.url}/v1` });
    const own = { type: "openai_chat_reasoning", model: "thinker", message: { reasoning_content: "Hm." } };
    const messages: Message[] = [
      ...thought,
      { role: "user", content: "more" },
      { role: "assistant", content: [own, { type: "text", text: "More." }] },
      { role: "user", content: "and" },
      { role: "assistant", content: "Yes." },
    ];
    const { events, result } = await run({ model, messages });
    expect([result.text, server.requests.length]).toEqual(["Done.", 2]);
    const sent = server.requests[1]?.body["messages"] as { role: string; reasoning_content?: string }[];
    const reasoning = sent.filter(({ role }) => role === "assistant").map((each) => each.reasoning_content);
    expect(reasoning).toEqual([" ", "Hm.", " "]);
    expect(noticesOf(events)[0]).toContain(complaint);
  }
});

test("B16: reasoning of the Responses API that the server refuses is removed once, with the ids that need it", async () => {
  const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
  const done = {
    type: "response.completed",
    response: {
      id: "r",
      output: [
        { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
      ],
    },
  };
  const answer: ScriptedAnswer = { pieces: [sse([done])] };
  for (const no of [
    refused("The encrypted content sealed could not be verified. Reason: organization_id did not match."),
    {
      ...refused("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
      status: 404,
    },
    refused(
      "Item 'ws_1' of type 'web_search_call' was provided without its required 'reasoning' item: 'rs_1'.",
    ),
  ]) {
    const server = await modelServer(no, answer);
    servers.push(server);
    const model = openai({ model: "thinker", apiKey: "key", baseURL: `${server.url}/v1`, api: "responses" });
    const own = { openai: { item: { id: "fc_1", namespace: "files" } } };
    const messages: Message[] = [
      { role: "user", content: "read" },
      {
        role: "assistant",
        content: [
          { type: "openai_reasoning", item },
          { type: "openai_web_search", item: { type: "web_search_call", id: "ws_1", status: "completed" } },
          { type: "tool_use", id: "call_1", name: "Read", input: {}, ...own },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "x" }] },
      { role: "assistant", content: "So." },
    ];
    const { result } = await run({ model, messages });
    expect([result.text, server.requests.length]).toEqual(["Done.", 2]);
    const sent = server.requests[1]?.body["input"] as object[];
    expect(JSON.stringify(sent)).not.toMatch(/rs_1|ws_1/);
    expect(sent[1]).toEqual({
      namespace: "files",
      type: "function_call",
      call_id: "call_1",
      name: "Read",
      arguments: "{}",
    });
  }
});

test("G10: if the history is rejected again, the run ends with the server's message", async () => {
  const no = refused("messages.1.content.0: Invalid `signature` in `thinking` block");
  const { server, model } = await served(no, no, no);
  const { result } = await run({ model, messages: thought });
  expect(result).toMatchObject({
    reason: "model_error",
    detail: expect.stringMatching(/Server message: messages\.1\.content\.0: Invalid `signature`/) as string,
  });
  expect(server.requests).toHaveLength(2);
});

test("any other bad request ends the run at once", async () => {
  const { server, model } = await served(refused("max_tokens: must be at least 1"));
  const { result } = await run({ model, messages: thought });
  expect([result.reason, server.requests.length]).toEqual(["model_error", 1]);
});

const long = (text: string): Message[] => [
  { role: "user", content: "begin" },
  { role: "assistant", content: `${text} ${"word ".repeat(20_000)}` },
];

test("B12: a conversation that is too long for the model is summarised once, and the request is sent again", async () => {
  const { server, model } = await served(
    refused("prompt is too long: 210000 tokens > 200000 maximum"),
    said("A summary."),
    said("Done."),
  );
  const { events, result } = await run({ model, messages: long("much") });
  expect([result.text, server.requests.length]).toEqual(["Done.", 3]);
  expect(events.find(({ type }) => type === "compacted")).toMatchObject({ how: "summarised" });
  expect(JSON.stringify(server.requests[2]?.body["messages"])).toContain("A summary.");
});

test("B12: if the conversation is still too long, the run ends with the server's message", async () => {
  const no = refused("prompt is too long: 210000 tokens > 200000 maximum");
  const { server, model } = await served(no, said("A summary."), no, no);
  const { result } = await run({ model, messages: long("much") });
  expect(result).toMatchObject({
    reason: "model_error",
    detail:
      "The conversation is too long for the model (400). Compact it, or start a new one. " +
      "Server message: prompt is too long: 210000 tokens > 200000 maximum",
  });
  expect(server.requests).toHaveLength(3);
});

test("B12: after a response that filled the context window, the conversation is compacted before it continues", async () => {
  const full = response(...textBlock(0, "and so"), ...messageEnd("model_context_window_exceeded"));
  const { server, model } = await served(full, said("A summary."), said("Done."));
  const { events, result } = await run({ model, messages: long("much") });
  expect([result.text, server.requests.length]).toEqual(["Done.", 3]);
  expect(events.some(({ type }) => type === "compacted")).toBe(true);
});

test("a conversation is compacted before the window is full", async () => {
  const { server, model } = await served(said("A summary."), said("Done."));
  const { events, result } = await run({ model, messages: long("much"), contextTokens: 20_000 });
  expect([result.text, server.requests.length]).toEqual(["Done.", 2]);
  expect(events.findIndex(({ type }) => type === "compacted")).toBe(1);
  const off = await served(said("Done."));
  const kept = await run({
    model: off.model,
    messages: long("much"),
    contextTokens: 20_000,
    autoCompact: false,
  });
  expect([kept.result.text, kept.events.some(({ type }) => type === "compacted")]).toEqual(["Done.", false]);
});

test("G08: compaction that frees nothing is turned off after three attempts, and the loop continues", async () => {
  const prompt = "all of this matters ".repeat(6_000);
  const turns = [1, 2, 3, 4, 5].map((turn) => [
    { type: "tool_use", id: `${turn}`, name: "Read", input: { file_path: "a" } },
  ]);
  let summaries = 0;
  const model = scripted(
    Array.from({ length: 20 }, () => (request) => {
      const isSummary = JSON.stringify(request.messages.at(-1)).includes("ummar");
      if (isSummary) summaries++;
      return isSummary
        ? [{ type: "text", text: "A summary." }]
        : (turns.shift() ?? [{ type: "text", text: "Done." }]);
    }),
  );
  const { events, result } = await run({
    model,
    messages: [{ role: "user", content: prompt }],
    contextTokens: 10_000,
  });
  expect([result.reason, result.text]).toEqual(["completed", "Done."]);
  expect(summaries).toBe(3);
  expect(
    noticesOf(events).filter((notice) => notice.includes("Automatic compaction is now off")),
  ).toHaveLength(1);
});

test("the cost is counted, and a budget ends the loop", async () => {
  const { model } = await served(reads("a"), said("Done."));
  const { result } = await run({ model });
  // Two requests, each with 100 tokens in, 50 out, 40 read from the cache and 7 written to it, at opus prices.
  expect(result.costUsd).toBeCloseTo((2 * (100 * 5 + 50 * 25 + 40 * 0.5 + 7 * 6.25)) / 1_000_000, 9);
  const again = await served(reads("a"), said("Done."));
  const ended = await run({ model: again.model, budget: { costUsd: 0.001 } });
  expect(ended.result).toMatchObject({ reason: "budget", turns: 1 });
  expect(ended.result.detail).toMatch(/USD$/);
  const own = await served(said("Done."));
  const priced = await run({
    model: own.model,
    price: { input: 0, output: 1_000_000, cacheRead: 0, cacheWrite: 0 },
  });
  expect(priced.result.costUsd).toBe(50);
});

test("without a price the cost is undefined, not 0", async () => {
  const { result } = await run({ model: scripted([[{ type: "text", text: "Done." }]]) });
  expect(result.costUsd).toBeUndefined();
});

test("with rules and canUseTool, the stricter verdict applies", async () => {
  const verdicts = async (byRule: "allow" | "deny", byFunction: "allow" | "deny"): Promise<string> => {
    const { model } = await served(reads("a"), said("Done."));
    const { events } = await run({
      model,
      permissions: { decide: () => ({ behavior: byRule, reason: "by rule" }) },
      canUseTool: () => ({ behavior: byFunction, reason: "by function" }),
    });
    const settled = events.find((event) => event.type === "call-settled");
    return settled?.type === "call-settled" ? JSON.stringify(settled.outcome) : "";
  };
  expect(await verdicts("allow", "allow")).toContain("content of a.ts");
  expect(await verdicts("deny", "allow")).toContain("by rule");
  expect(await verdicts("allow", "deny")).toContain("by function");
});

test("after a switch to the fallback model, its own window decides when to compact", async () => {
  const overloaded: ScriptedAnswer = { status: 529, pieces: ["busy"] };
  const { model } = await served(overloaded, overloaded, overloaded);
  const { server, model: small } = await served(said("A summary."), said("Done."));
  const { events, result } = await run({
    model,
    // The window of the first model is 1,000,000 tokens.
    fallbackModel: { ...small, name: "small", facts: { contextTokens: 20_000 } },
    messages: long("much"),
  });
  expect([result.text, server.requests.length]).toEqual(["Done.", 2]);
  expect(events.find(({ type }) => type === "compacted")).toMatchObject({ how: "summarised" });
});
