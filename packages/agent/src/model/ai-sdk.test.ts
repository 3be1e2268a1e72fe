import { createAnthropic } from "@ai-sdk/anthropic";
import { createAnthropic as createAnthropicV2 } from "@ai-sdk/anthropic-v2";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterEach, expect, test } from "vitest";
import { chatChunk } from "../../test/support/wires.ts";
import { collect } from "../../test/support/collect.ts";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../../test/support/model-server.ts";
import { messageEnd, messageStart, textBlock, wholeResponse } from "../../test/support/responses.ts";
import { type AiSdkModel, type AiSdkOptions, aiSdk } from "./ai-sdk.ts";
import type { ModelError } from "./error.ts";
import type { ModelEvent } from "./event.ts";
import type { Block, Message, ModelRequest } from "./message.ts";

const TOOL = { name: "Read", description: "Reads", input_schema: { type: "object", properties: {} } };
const REQUEST: ModelRequest = {
  system: "Be brief.",
  tools: [TOOL],
  messages: [{ role: "user", content: "go" }],
  maxTokens: 1_000,
};
const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

type Provider = (url: string) => AiSdkModel;
const anthropic: Provider = (url) => createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("claude-test");
const anthropicV2: Provider = (url) =>
  createAnthropicV2({ apiKey: "key", baseURL: `${url}/v1` })("claude-test");
const chat: Provider = (url) => createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).chat("gpt-test");
const responses: Provider = (url) => createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).responses("gpt-5");
const compatible: Provider = (url) =>
  createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true })("qwen");

interface Asked {
  readonly events: ModelEvent[];
  readonly error: ModelError | undefined;
  readonly server: ModelServer;
}

async function serve(...answers: ScriptedAnswer[]): Promise<ModelServer> {
  const server = await modelServer(...answers);
  servers.push(server);
  return server;
}

async function ask(
  provider: Provider,
  answer: ScriptedAnswer,
  { messages = REQUEST.messages, ...options }: AiSdkOptions & { messages?: readonly Message[] } = {},
): Promise<Asked> {
  const server = await serve(answer);
  const stream = aiSdk(provider(server.url), options).stream(
    { ...REQUEST, messages },
    new AbortController().signal,
  );
  return { ...(await collect(stream)), server };
}

const blocksOf = (events: readonly ModelEvent[]): Block[] =>
  events.flatMap((event) => (event.type === "block" ? [event.block] : []));
const callsOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "call-complete" ? [event.call] : []));
const result = (id: string, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: `of ${id}`,
  is_error: false,
  ...more,
});

/** What was said, and one result for each call. */
const answered = (events: readonly ModelEvent[]): Message[] => [
  ...REQUEST.messages,
  { role: "assistant", content: blocksOf(events) },
  { role: "user", content: callsOf(events).map(({ id }) => result(id)) },
];

/** The first call is whole before the second begins, and its input could be looked at before. */
function expectEarlyCalls(events: readonly ModelEvent[]): void {
  const types = events.map(({ type }) => type);
  expect(types.indexOf("call-complete")).toBeLessThan(types.lastIndexOf("call-begun"));
  const delta = events.find((event) => event.type === "call-delta");
  expect(delta?.preview()).toMatchObject({ file_path: expect.any(String) as string });
}

const MESSAGES = wholeResponse.map((event) => ({ ...event }));
const MESSAGE_BLOCKS = [
  { type: "thinking", thinking: "Hm, “naïve” 🤔\u2028", signature: "c2lnbmF0dXJl==" },
  { type: "text", text: "Let me see – 😀" },
  { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a/ü😀.ts" } },
  { type: "tool_use", id: "toolu_2", name: "Read", input: { file_path: "b.ts" } },
];
const DONE = sse([messageStart, ...textBlock(0, "ok"), ...messageEnd("end_turn")]);

for (const [name, provider] of [
  ["@ai-sdk/anthropic of the AI SDK 6", anthropic],
  ["@ai-sdk/anthropic of the AI SDK 5", anthropicV2],
] as const) {
  test(`B15: ${name}: thinking, text and calls arrive as they stream, and are sent back byte for byte`, async () => {
    const first = await ask(provider, { pieces: [sse(MESSAGES)] });
    expect(first.error).toBeUndefined();
    expect(blocksOf(first.events)).toMatchObject(MESSAGE_BLOCKS);
    expectEarlyCalls(first.events);
    expect(first.events[0]).toMatchObject({ type: "message-started", id: "msg_1" });
    expect(first.events.at(-1)).toEqual({ type: "stopped", reason: "tool_use", detail: "" });
    expect(first.events.find(({ type }) => type === "usage")).toMatchObject({
      usage: { inputTokens: 100, outputTokens: 50, cacheReadTokens: 40 },
    });
    const second = await ask(provider, { pieces: [DONE] }, { messages: answered(first.events) });
    expect(second.error).toBeUndefined();
    const { messages, system, tools, max_tokens } = second.server.requests[0]?.body ?? {};
    const sent = messages as { role: string; content: object[] }[];
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(sent[1]?.content).toEqual(MESSAGE_BLOCKS);
    expect(sent[2]?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "toolu_1", content: "of toolu_1" },
      { type: "tool_result", tool_use_id: "toolu_2", content: "of toolu_2" },
    ]);
    expect([system, max_tokens]).toMatchObject([[{ text: "Be brief." }], 1_000]);
    expect(tools).toMatchObject([{ name: "Read", description: "Reads" }]);
    expect(JSON.stringify(second.server.requests[0]?.body).match(/cache_control/g)).toHaveLength(4);
  });
}

const callPiece = (index: number, id: string | undefined, text: string) =>
  chatChunk({
    tool_calls: [
      id === undefined
        ? { index, function: { arguments: text } }
        : { index, id, type: "function", function: { name: "Read", arguments: text } },
    ],
  });
const CHAT = [
  chatChunk({ role: "assistant", content: "" }),
  chatChunk({ reasoning_content: "Hm." }),
  chatChunk({ content: "Let me " }),
  chatChunk({ content: "see 😀" }),
  callPiece(0, "call_a", '{"file_path": "'),
  callPiece(0, undefined, 'a"}'),
  callPiece(1, "call_b", '{"file_path": "b"}'),
  chatChunk({}, "tool_calls"),
  { ...chatChunk({}), choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } },
];
const chatAnswer = (events: readonly object[]): ScriptedAnswer => ({
  pieces: [sse(events), "data: [DONE]\n\n"],
});
const CHAT_BLOCKS = [
  { type: "text", text: "Let me see 😀" },
  { type: "tool_use", id: "call_a", name: "Read", input: { file_path: "a" } },
  { type: "tool_use", id: "call_b", name: "Read", input: { file_path: "b" } },
];

for (const [name, provider, reasoning] of [
  ["@ai-sdk/openai, Chat Completions", chat, []],
  [
    "@ai-sdk/openai-compatible",
    compatible,
    [{ type: "ai_sdk_part", part: { type: "reasoning", text: "Hm." } }],
  ],
] as const) {
  test(`${name}: the same, although this API does not mark the end of a text`, async () => {
    const first = await ask(provider, chatAnswer(CHAT));
    expect(first.error).toBeUndefined();
    expect(blocksOf(first.events)).toEqual([...reasoning, ...CHAT_BLOCKS]);
    expectEarlyCalls(first.events);
    expect(first.events.at(-1)).toEqual({ type: "stopped", reason: "tool_use", detail: "" });
    expect(first.events.find(({ type }) => type === "usage")).toMatchObject({
      usage: { inputTokens: 12, outputTokens: 5 },
    });
    const done = chatAnswer([chatChunk({ content: "ok" }, "stop")]);
    const second = await ask(provider, done, { messages: answered(first.events) });
    expect(second.events.at(-1)).toEqual({ type: "stopped", reason: "end_turn", detail: "" });
    const sent = second.server.requests[0]?.body["messages"] as Record<string, unknown>[];
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool"]);
    expect(sent[2]).toMatchObject({ content: "Let me see 😀" });
    expect(sent[2]?.["tool_calls"]).toMatchObject([
      { id: "call_a", function: { name: "Read", arguments: '{"file_path":"a"}' } },
      { id: "call_b", function: { name: "Read", arguments: '{"file_path":"b"}' } },
    ]);
    expect(sent.slice(3)).toEqual([
      { role: "tool", tool_call_id: "call_a", content: "of call_a" },
      { role: "tool", tool_call_id: "call_b", content: "of call_b" },
    ]);
    if (reasoning.length > 0) expect(sent[2]).toMatchObject({ reasoning_content: "Hm." });
  });
}

const responsesCall = (index: number, id: string, text: string) => {
  const item = { type: "function_call", id: `fc_${id}`, call_id: id, name: "Read", arguments: "" };
  const at = { item_id: item.id, output_index: index };
  return [
    { type: "response.output_item.added", output_index: index, item },
    { type: "response.function_call_arguments.delta", ...at, delta: text.slice(0, 16) },
    { type: "response.function_call_arguments.delta", ...at, delta: text.slice(16) },
    { type: "response.function_call_arguments.done", ...at, arguments: text },
    {
      type: "response.output_item.done",
      output_index: index,
      item: { ...item, arguments: text, status: "completed" },
    },
  ];
};
const REASONING = { type: "reasoning", id: "rs_1", encrypted_content: "c2VhbGVk", summary: [] };
const RESPONSES = [
  { type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt-5" } },
  {
    type: "response.output_item.added",
    output_index: 0,
    item: { type: "reasoning", id: "rs_1", encrypted_content: "half", summary: [] },
  },
  { type: "response.reasoning_summary_part.added", item_id: "rs_1", output_index: 0, summary_index: 0 },
  {
    type: "response.reasoning_summary_text.delta",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    delta: "Hm.",
  },
  {
    type: "response.output_item.done",
    output_index: 0,
    item: { ...REASONING, summary: [{ type: "summary_text", text: "Hm." }] },
  },
  { type: "response.output_item.added", output_index: 1, item: { type: "message", id: "msg_1" } },
  { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, delta: "Let me see 😀" },
  { type: "response.output_item.done", output_index: 1, item: { type: "message", id: "msg_1" } },
  ...responsesCall(2, "call_a", '{"file_path": "a"}'),
  ...responsesCall(3, "call_b", '{"file_path": "b"}'),
  {
    type: "response.completed",
    response: { usage: { input_tokens: 12, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5 } },
  },
];

test("@ai-sdk/openai, Responses: the same, and encrypted reasoning is sent back with its items", async () => {
  const options = { providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } } };
  const first = await ask(responses, { pieces: [sse(RESPONSES)] }, options);
  expect(first.error).toBeUndefined();
  expect(blocksOf(first.events)).toMatchObject([{ type: "ai_sdk_part" }, ...CHAT_BLOCKS]);
  expect(first.events.filter(({ type }) => type === "thinking")).toEqual([{ type: "thinking", text: "Hm." }]);
  expectEarlyCalls(first.events);
  expect(first.events.find(({ type }) => type === "usage")).toMatchObject({
    usage: { inputTokens: 8, outputTokens: 5, cacheReadTokens: 4 },
  });
  const done = { pieces: [sse([RESPONSES[0] as object, RESPONSES.at(-1) as object])] };
  const second = await ask(responses, done, { ...options, messages: answered(first.events) });
  expect(second.events.at(-1)).toEqual({ type: "stopped", reason: "end_turn", detail: "" });
  const input = second.server.requests[0]?.body["input"] as Record<string, unknown>[];
  expect(input.map(({ type, role }) => type ?? role)).toEqual([
    "developer",
    "user",
    "reasoning",
    "assistant",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
  ]);
  expect(input[2]).toMatchObject({ encrypted_content: "c2VhbGVk" });
  expect(input.slice(6)).toMatchObject([
    { call_id: "call_a", output: "of call_a" },
    { call_id: "call_b", output: "of call_b" },
  ]);
});

test("A10, A11: an HTTP status means the same for every provider", async () => {
  const cases = [
    [401, {}, "credentials", false],
    [429, {}, "rate-limit", true],
    [429, { "x-should-retry": "false" }, "rate-limit", false],
    [400, { "x-should-retry": "true" }, "bad-request", true],
    [429, { "retry-after": "3000000" }, "rate-limit", false],
    [429, { "retry-after": "3" }, "rate-limit", true],
    [529, {}, "overloaded", true],
  ] as const;
  for (const provider of [anthropic, anthropicV2, chat, responses, compatible]) {
    for (const [status, headers, kind, isRetryable] of cases) {
      const body = JSON.stringify({ type: "error", error: { type: "x", message: "because" } });
      const type = { "content-type": "application/json" };
      const { error } = await ask(provider, { status, headers: { ...type, ...headers }, pieces: [body] });
      expect(error).toMatchObject({ kind, status, isRetryable });
      expect(error?.message).toMatch(new RegExp(`127.*\\(${status}\\)\\. .* Server message: because$`));
      if ("retry-after" in headers) expect(error?.retryAfterMs).toBe(Number(headers["retry-after"]) * 1_000);
    }
  }
});

test("A06, A07: a response that breaks off has only its complete calls and the error kind cut", async () => {
  const cut = <Event>(events: readonly Event[], isLast: (text: string) => boolean) =>
    events.slice(0, events.findIndex((event) => isLast(JSON.stringify(event))) + 1);
  const cases = [
    [anthropic, sse(cut(MESSAGES, (text) => text.includes("toolu_2"))), "toolu_1"],
    [anthropicV2, sse(cut(MESSAGES, (text) => text.includes("toolu_2"))), "toolu_1"],
    [chat, sse([...CHAT.slice(0, 6), callPiece(1, "call_b", '{"file')]), "call_a"],
    [compatible, sse([...CHAT.slice(0, 6), callPiece(1, "call_b", '{"file')]), "call_a"],
    [responses, sse(RESPONSES.slice(0, -6)), "call_a"],
  ] as const;
  for (const [provider, pieces, id] of cases) {
    for (const after of ["end", "break"] as const) {
      const { events, error } = await ask(provider, { pieces: [pieces], after });
      expect(callsOf(events).map((call) => call.id)).toEqual([id]);
      expect(blocksOf(events).at(-1)).toMatchObject({ type: "tool_use", id });
      expect(error).toMatchObject({ kind: "cut", isRetryable: true });
    }
  }
});

test("A08: an error in the stream ends the response", async () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  for (const before of [[], [messageStart, ...textBlock(0, "Done.")]]) {
    const { error } = await ask(anthropic, { pieces: [sse([...before, overloaded])] });
    expect(error).toMatchObject({ kind: "overloaded", isRetryable: true });
  }
  const failed = { error: { type: "server_error", message: "oops" } };
  const { error } = await ask(compatible, chatAnswer([CHAT[0] as object, failed]));
  expect(error).toMatchObject({ kind: "server", isRetryable: true });
});

test("A03: a response without content is cut off after the limit", async () => {
  process.env["RUNAHEAD_STREAM_IDLE_MS"] = "60";
  try {
    const { error } = await ask(anthropic, { pieces: [sse([messageStart])], after: "hang" });
    expect(error).toMatchObject({ kind: "cut" });
    expect(error?.message).toMatch(/^The model sent nothing for 0\.06 s\./);
  } finally {
    delete process.env["RUNAHEAD_STREAM_IDLE_MS"];
  }
});

test("A12: an HTML page instead of a stream is reported as such and not retried", async () => {
  for (const provider of [anthropic, chat, responses, compatible]) {
    const headers = { "content-type": "text/html" };
    const { error } = await ask(provider, { headers, pieces: ["<html>Log in</html>"] });
    expect(error).toMatchObject({ kind: "protocol", isRetryable: false });
    expect(error?.message).toMatch(/^The server of .* answered with text\/html instead of an event stream\./);
  }
});

test("an aborted signal ends a response that hangs at once", async () => {
  for (const pieces of [[], [sse([messageStart, ...textBlock(0, "Well")])]]) {
    const server = await serve({ pieces, after: "hang" });
    const abort = new AbortController();
    const reading = collect(aiSdk(anthropic(server.url)).stream(REQUEST, abort.signal));
    setTimeout(() => abort.abort(), 50);
    expect((await reading).error?.name).toBe("AbortError");
  }
});

test("a closed port on this machine is not retried", async () => {
  const server = await modelServer();
  await server.close();
  const { error } = await collect(aiSdk(anthropic(server.url)).stream(REQUEST, new AbortController().signal));
  expect(error).toMatchObject({ kind: "unreachable", isRetryable: false });
  expect(error?.message).toMatch(/^Nothing is listening at 127\.0\.0\.1:\d+ \(connection refused\)\./);
});

test("B12: a history that is too long or rejected has its own error kind", async () => {
  const words = [
    ["prompt is too long: 210000 tokens > 200000 maximum", "context-overflow"],
    ["messages.1.content.0: Invalid `signature` in `thinking` block", "bad-history"],
    ["max_tokens: must be positive", "bad-request"],
  ] as const;
  for (const [message, kind] of words) {
    const body = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
    const { error } = await ask(anthropic, { status: 400, pieces: [body] });
    expect(error).toMatchObject({ kind, isRetryable: false });
    expect(error?.message).toContain(`Server message: ${message}`);
  }
});
