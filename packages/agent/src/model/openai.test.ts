import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../../test/support/model-server.ts";
import type { ModelError } from "./error.ts";
import type { ModelEvent } from "./event.ts";
import type { ModelRequest } from "./message.ts";
import { openaiEvents } from "./openai-events.ts";
import { openai } from "./openai.ts";

const TOOL = { name: "Read", description: "Reads", input_schema: { type: "object" } };
const REQUEST: ModelRequest = {
  system: "Be brief.",
  tools: [TOOL],
  messages: [{ role: "user", content: "go" }],
  maxTokens: 99,
};
const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function ask(api: "chat" | "responses", answer: ScriptedAnswer, request = REQUEST) {
  const server = await modelServer(answer);
  servers.push(server);
  const events: ModelEvent[] = [];
  let error: ModelError | undefined;
  try {
    const model = openai({ model: "gpt-test", apiKey: "key", baseURL: `${server.url}/v1`, api });
    for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  } catch (thrown) {
    error = thrown as ModelError;
  }
  return { events, error, body: server.requests[0]?.body ?? {}, request: server.requests[0] };
}

const chat = (delta: object, finish: string | null = null, usage?: object) => ({
  id: "chatcmpl_1",
  model: "gpt-test",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(usage === undefined ? {} : { usage }),
});
const callPiece = (index: number, id: string | undefined, text: string) => ({
  tool_calls: [
    {
      index,
      ...(id === undefined ? {} : { id }),
      function: { ...(id === undefined ? {} : { name: "Read" }), arguments: text },
    },
  ],
});
const blocksOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "block" ? [event.block] : []));

const CHAT = [
  chat({ role: "assistant", content: "" }),
  chat({ reasoning_content: "Hm." }),
  chat({ content: "Let me " }),
  chat({ content: "see 😀" }),
  chat(callPiece(0, "call_a", '{"file_path": "')),
  chat(callPiece(0, undefined, 'a"}')),
  chat(callPiece(1, "call_b", '{"file_path": "b"}')),
  chat({}, "tool_calls"),
  { id: "chatcmpl_1", choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } },
];

const BLOCKS = [
  { type: "text", text: "Let me see 😀" },
  { type: "tool_use", id: "call_a", name: "Read", input: { file_path: "a" } },
  { type: "tool_use", id: "call_b", name: "Read", input: { file_path: "b" } },
];

test("Chat Completions become the same events", async () => {
  const { events, error, request } = await ask("chat", { pieces: [sse(CHAT), "data: [DONE]\n\n"] });
  expect(error).toBeUndefined();
  const reasoning = { reasoning_content: "Hm." };
  expect(blocksOf(events)).toEqual([
    { type: "openai_chat_reasoning", model: "gpt-test", message: reasoning },
    ...BLOCKS,
  ]);
  expect(events.filter(({ type }) => type === "thinking")).toEqual([{ type: "thinking", text: "Hm." }]);
  expect(events.findIndex(({ type }) => type === "call-complete")).toBeLessThan(
    events.findLastIndex(({ type }) => type === "call-begun"),
  );
  expect(events.findLast(({ type }) => type === "usage")).toMatchObject({
    usage: { inputTokens: 12, outputTokens: 5 },
  });
  expect(events.at(-1)).toEqual({ type: "stopped", reason: "tool_use", detail: "" });
  expect(request).toMatchObject({ path: "/v1/chat/completions", headers: { authorization: "Bearer key" } });
});

test("Responses become the same events, and reasoning is kept to be sent back", async () => {
  const item = { type: "reasoning", id: "rs_1", encrypted_content: "abc", summary: [] };
  const call = (index: number, id: string, text: string) => [
    {
      type: "response.output_item.added",
      output_index: index,
      item: { type: "function_call", call_id: id, name: "Read", arguments: "" },
    },
    { type: "response.function_call_arguments.delta", output_index: index, delta: text },
    { type: "response.function_call_arguments.done", output_index: index, arguments: text },
  ];
  const events = [
    { type: "response.created", response: { id: "resp_1", model: "gpt-test" } },
    { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1" } },
    { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Hm." },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.output_item.added", output_index: 1, item: { type: "message" } },
    { type: "response.output_text.delta", output_index: 1, delta: "Let me see 😀" },
    ...call(2, "call_a", '{"file_path": "a"}'),
    ...call(3, "call_b", '{"file_path": "b"}'),
    { type: "response.completed", response: { usage: { input_tokens: 12, output_tokens: 5 } } },
  ];
  const first = await ask("responses", { pieces: [sse(events)] });
  expect(first.error).toBeUndefined();
  expect(blocksOf(first.events)).toEqual([{ type: "openai_reasoning", item }, ...BLOCKS]);
  expect(first.events.at(-1)).toEqual({ type: "stopped", reason: "tool_use", detail: "" });

  const results = ["call_a", "call_b"].map((id) => ({
    type: "tool_result",
    tool_use_id: id,
    content: "ok",
    is_error: false,
  }));
  const messages = [
    ...REQUEST.messages,
    { role: "assistant", content: blocksOf(first.events) },
    { role: "user", content: results },
  ] as const;
  const done = [
    { type: "response.output_text.delta", delta: "ok" },
    { type: "response.completed", response: {} },
  ];
  const { body, request } = await ask("responses", { pieces: [sse(done)] }, { ...REQUEST, messages });
  expect(request?.path).toBe("/v1/responses");
  expect(body).toMatchObject({ instructions: "Be brief.", max_output_tokens: 99, store: false });
  expect(body["input"]).toEqual([
    { role: "user", content: [{ type: "input_text", text: "go" }] },
    item,
    { role: "assistant", content: [{ type: "output_text", text: "Let me see 😀" }] },
    { type: "function_call", call_id: "call_a", name: "Read", arguments: '{"file_path":"a"}' },
    { type: "function_call", call_id: "call_b", name: "Read", arguments: '{"file_path":"b"}' },
    { type: "function_call_output", call_id: "call_a", output: "ok" },
    { type: "function_call_output", call_id: "call_b", output: "ok" },
  ]);
});

test("a history is sent to Chat Completions with results before the user's text", async () => {
  const content = [
    { type: "tool_result", tool_use_id: "call_a", content: "boom", is_error: true },
    { type: "text", text: "and now?" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  ];
  const messages = [
    ...REQUEST.messages,
    { role: "assistant", content: BLOCKS.slice(0, 2) },
    { role: "user", content },
  ] as const;
  const { body } = await ask(
    "chat",
    { pieces: [sse([chat({ content: "ok" }, "stop")])] },
    { ...REQUEST, messages },
  );
  expect(body["messages"]).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: "Let me see 😀",
      tool_calls: [
        { id: "call_a", type: "function", function: { name: "Read", arguments: '{"file_path":"a"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_a", content: "Error: boom" },
    {
      role: "user",
      content: [
        { type: "text", text: "and now?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
  ]);
  expect(body["tools"]).toEqual([
    { type: "function", function: { name: "Read", description: "Reads", parameters: { type: "object" } } },
  ]);
  expect(body).toMatchObject({ max_tokens: 99, stream_options: { include_usage: true } });
});

test("A06: a stream without a finish reason was cut off, and its complete calls are kept", async () => {
  const { events, error } = await ask("chat", { pieces: [sse(CHAT.slice(0, 6))] });
  expect(events.filter(({ type }) => type === "call-complete")).toHaveLength(1);
  expect(error).toMatchObject({ kind: "cut", isRetryable: true });
});

test("stop reasons have the names of the Messages API", async () => {
  for (const [finish, reason] of [
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
    ["odd", "end_turn"],
  ] as const) {
    const { events } = await ask("chat", { pieces: [sse([chat({ content: "x" }, finish)])] });
    expect(events.at(-1)).toEqual({ type: "stopped", reason, detail: "" });
  }
  const cut = {
    type: "response.incomplete",
    response: { incomplete_details: { reason: "max_output_tokens" } },
  };
  const { events } = await ask("responses", { pieces: [sse([cut])] });
  expect(events.at(-1)).toMatchObject({ reason: "max_tokens" });
});

test("errors inside a stream become ModelErrors", async () => {
  const failed = {
    type: "response.failed",
    response: { error: { code: "rate_limit_exceeded", message: "slow down" } },
  };
  const inside = { error: { type: "server_error", message: "oops" } };
  expect((await ask("responses", { pieces: [sse([failed])] })).error).toMatchObject({
    kind: "rate-limit",
    isRetryable: true,
  });
  expect((await ask("chat", { pieces: [sse([inside])] })).error).toMatchObject({
    kind: "server",
    message: expect.stringContaining("Server message: oops") as string,
  });
});

test("the address comes from the environment, and a server other than OpenAI's needs no key", async () => {
  const server = await modelServer({ pieces: [sse([chat({ content: "hi" }, "stop")])] });
  servers.push(server);
  vi.stubEnv("OLLAMA_HOST", server.url.replace("http://", ""));
  vi.stubEnv("OPENAI_API_KEY", undefined);
  vi.stubEnv("OPENAI_BASE_URL", undefined);
  try {
    const events: ModelEvent[] = [];
    for await (const event of openai({ model: "qwen" }).stream(REQUEST, new AbortController().signal))
      events.push(event);
    expect(blocksOf(events)).toEqual([{ type: "text", text: "hi" }]);
    expect(server.requests[0]?.path).toBe("/v1/chat/completions");
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  } finally {
    vi.unstubAllEnvs();
  }
});

test("without a key, no request is sent to OpenAI", () => {
  const model = openai({ model: "gpt-test", apiKey: "", baseURL: "https://api.openai.com/v1" });
  expect(() => model.stream(REQUEST, new AbortController().signal)).toThrow(
    "No API key for OpenAI. Set OPENAI_API_KEY, or pass the apiKey option.",
  );
});

test("A04: events that only keep the connection open are not content", async () => {
  process.env["RUNAHEAD_STREAM_IDLE_MS"] = "60";
  async function* keptAlive() {
    yield [{ event: undefined, data: '{"type":"response.created","response":{"id":"r"}}' }];
    for (let sent = 0; sent < 1_000; sent++) {
      await pause(5);
      yield [{ event: "keepalive", data: '{"type":"keepalive"}' }];
    }
  }
  try {
    const read = async () => {
      for await (const _event of openaiEvents(keptAlive()));
    };
    await expect(read()).rejects.toMatchObject({
      kind: "cut",
      message: expect.stringContaining("sent nothing"),
    });
  } finally {
    delete process.env["RUNAHEAD_STREAM_IDLE_MS"];
  }
});
