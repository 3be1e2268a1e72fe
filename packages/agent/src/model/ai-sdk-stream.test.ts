import { expect, test } from "vitest";
import { aiSdk } from "./ai-sdk.ts";
import type { AiSdkCall } from "./ai-sdk-request.ts";
import type { ModelError } from "./error.ts";
import type { ModelEvent } from "./event.ts";
import type { Message, ModelRequest } from "./message.ts";
import { anthropicBody } from "./anthropic-request.ts";
import { chatBody } from "./openai-request.ts";

const REQUEST: ModelRequest = {
  system: "",
  tools: [],
  messages: [{ role: "user", content: "go" }],
  maxTokens: 10,
};

/** A model in the SDK's form that says these parts, and remembers what it was asked. */
function modelOf(parts: readonly object[], version = "v3") {
  const calls: AiSdkCall[] = [];
  const model = {
    specificationVersion: version,
    provider: "parts",
    modelId: "parts-1",
    doStream(call: AiSdkCall) {
      calls.push(call);
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    },
  };
  return { calls, model: aiSdk(model) };
}

async function say(parts: readonly object[], version = "v3") {
  const events: ModelEvent[] = [];
  try {
    const { model } = modelOf(parts, version);
    for await (const event of model.stream(REQUEST, new AbortController().signal)) events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error: error as ModelError };
  }
}

async function promptFor(messages: readonly Message[], version: string): Promise<unknown> {
  const { model, calls } = modelOf(
    [{ type: "finish", finishReason: { unified: "stop", raw: "stop" } }],
    version,
  );
  for await (const _event of model.stream({ ...REQUEST, messages }, new AbortController().signal));
  return calls[0]?.prompt.map((message) => ({ ...message, providerOptions: undefined }));
}

const blocksOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "block" ? [event.block] : []));
const callsOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "call-complete" ? [event.call] : []));
const finish = (unified: string, raw: string | undefined = unified) => ({
  type: "finish",
  finishReason: { unified, raw },
});
const call = (id: string, input: string, more: object = {}) => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "Read",
  input,
  ...more,
});

test("a provider that sends only complete calls works, and the data that it needs back with a call is kept", async () => {
  const providerMetadata = { google: { thoughtSignature: "c2ln" } };
  const { events, error } = await say([
    call("a", '{"n":1}', { providerMetadata }),
    call("b", ""),
    finish("tool-calls"),
  ]);
  expect(error).toBeUndefined();
  expect(callsOf(events)).toEqual([
    { id: "a", name: "Read", input: { n: 1 } },
    { id: "b", name: "Read", input: {} },
  ]);
  expect(blocksOf(events)).toEqual([
    { type: "tool_use", id: "a", name: "Read", input: { n: 1 }, providerOptions: providerMetadata },
    { type: "tool_use", id: "b", name: "Read", input: {} },
  ]);
});

test("a call runs when its input closes, and its block waits for the provider's last event", async () => {
  const parts = [
    { type: "tool-input-start", id: "a", toolName: "Read" },
    { type: "tool-input-delta", id: "a", delta: '{"n": {"x": "}"}' },
    { type: "tool-input-delta", id: "a", delta: "}" },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "and" },
    { type: "text-end", id: "t" },
    call("a", '{"n": {"x": "}"}}', { providerMetadata: { local: { key: 1 } } }),
    finish("tool-calls"),
  ];
  const { events } = await say(parts);
  const types = events.map(({ type }) => type);
  expect(types.indexOf("call-complete")).toBeLessThan(types.indexOf("text"));
  expect(callsOf(events)).toEqual([{ id: "a", name: "Read", input: { n: { x: "}" } } }]);
  expect(blocksOf(events)).toEqual([
    {
      type: "tool_use",
      id: "a",
      name: "Read",
      input: { n: { x: "}" } },
      providerOptions: { local: { key: 1 } },
    },
    { type: "text", text: "and" },
  ]);
  const cut = await say(parts.slice(0, 6));
  expect([callsOf(cut.events), blocksOf(cut.events)]).toMatchObject([
    [{ id: "a" }],
    [
      { type: "tool_use", id: "a" },
      { type: "text", text: "and" },
    ],
  ]);
  expect(cut.error?.kind).toBe("cut");
});

test("A09: text before a call that was cut off is kept", async () => {
  const { events, error } = await say([
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "So" },
    { type: "tool-input-start", id: "a", toolName: "Read" },
    { type: "tool-input-delta", id: "a", delta: '{"n": "' },
  ]);
  expect([blocksOf(events), callsOf(events), error?.kind]).toEqual([
    [{ type: "text", text: "So" }],
    [],
    "cut",
  ]);
});

test("V3, B01: a call whose input was cut off by the limit is dropped; one that is not JSON is passed on as text", async () => {
  const cut = await say([call("a", '{"n":1}'), call("b", '{"n":'), finish("length", "max_tokens")]);
  expect(callsOf(cut.events).map(({ id }) => id)).toEqual(["a"]);
  expect(blocksOf(cut.events)).toHaveLength(1);
  expect(cut.events.at(-1)).toEqual({ type: "stopped", reason: "max_tokens", detail: "" });
  const odd = await say([call("b", '{"n":oops'), finish("tool-calls")]);
  expect(callsOf(odd.events)).toEqual([{ id: "b", name: "Read", inputText: '{"n":oops' }]);
  expect(blocksOf(odd.events)).toMatchObject([{ input: { INVALID_JSON: '{"n":oops' } }]);
});

test("stop reasons have the names of the Messages API, and a missing one means that the response broke off", async () => {
  for (const [part, reason] of [
    [finish("stop"), "end_turn"],
    [finish("stop", "pause_turn"), "pause_turn"],
    [finish("other", "compaction"), "compaction"],
    [finish("length"), "max_tokens"],
    [finish("length", "model_context_window_exceeded"), "model_context_window_exceeded"],
    [finish("content-filter"), "refusal"],
    [finish("other", "odd"), "end_turn"],
    [{ type: "finish", finishReason: "tool-calls" }, "tool_use"],
    [{ type: "finish", finishReason: "other" }, "end_turn"],
  ] as const) {
    const { events } = await say([part]);
    expect(events.at(-1)).toEqual({ type: "stopped", reason, detail: "" });
  }
  for (const [parts, kind] of [
    [[], "cut"],
    [[finish("other", "")], "cut"],
    [[finish("interrupted")], "cut"],
    [[{ type: "finish", finishReason: "unknown" }], "cut"],
    [[finish("error")], "server"],
  ] as const) {
    expect((await say(parts)).error).toMatchObject({ kind, isRetryable: true });
  }
});

test("A18: usage counts in either format, and missing values count as 0", async () => {
  const counted = async (usage: unknown) => {
    const { events } = await say([{ ...finish("stop"), usage }]);
    return events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
  };
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(await counted({ inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 })).toEqual([
    { ...none, inputTokens: 9, outputTokens: 2, cacheReadTokens: 4 },
  ]);
  expect(
    await counted({
      inputTokens: { total: 9, noCache: 4, cacheRead: 3, cacheWrite: 2 },
      outputTokens: { total: 5 },
    }),
  ).toEqual([{ inputTokens: 4, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 }]);
  expect(await counted(undefined)).toEqual([none]);
  expect(await counted({ inputTokens: { total: Number.NaN }, outputTokens: null })).toEqual([none]);
});

const SERVER_CALL = call("s", '{"query":"x"}', { toolName: "web_search", providerExecuted: true });
const SERVER_PARTS = [
  { type: "custom", kind: "anthropic.message_start", providerMetadata: { anthropic: { id: "m" } } },
  { type: "custom", kind: "anthropic.fallback", providerMetadata: { anthropic: { to: "m" } } },
  { type: "reasoning-start", id: "r", providerMetadata: { anthropic: { redactedData: "c2VhbGVk" } } },
  { type: "reasoning-end", id: "r" },
  { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
  { type: "tool-input-delta", id: "s", delta: '{"query":"x"}' },
  { type: "tool-input-end", id: "s" },
  SERVER_CALL,
  { type: "tool-result", toolCallId: "s", toolName: "web_search", result: [], preliminary: true },
  { type: "tool-result", toolCallId: "s", toolName: "web_search", result: [{ url: "u" }] },
  { type: "file", mediaType: "image/png", data: Uint8Array.of(1, 2) },
  { type: "source", sourceType: "url", id: "1", url: "u" },
  finish("stop"),
];

test("a tool that the provider runs does not run here, and is sent back unchanged", async () => {
  const { events } = await say(SERVER_PARTS);
  expect(callsOf(events)).toEqual([]);
  const toolName = "web_search";
  const search = {
    type: "tool-call",
    toolCallId: "s",
    toolName,
    input: { query: "x" },
    providerExecuted: true,
  };
  const output = { type: "json", value: [{ url: "u" }] };
  const fallback = {
    type: "custom",
    kind: "anthropic.fallback",
    providerOptions: { anthropic: { to: "m" } },
  };
  const parts = [
    search,
    { type: "tool-result", toolCallId: "s", toolName, output },
    { type: "file", mediaType: "image/png", data: "AQI=" },
  ];
  expect(blocksOf(events)).toEqual([
    { type: "ai_sdk_part", part: fallback },
    { type: "redacted_thinking", data: "c2VhbGVk" },
    ...parts.map((part) => ({ type: "ai_sdk_part", part })),
  ]);
  const messages = [...REQUEST.messages, { role: "assistant", content: blocksOf(events) }] as const;
  const reasoning = {
    type: "reasoning",
    text: "",
    providerOptions: { anthropic: { redactedData: "c2VhbGVk" } },
  };
  expect(await promptFor(messages, "v3")).toEqual([
    { role: "user", content: [{ type: "text", text: "go" }] },
    { role: "assistant", content: [fallback, reasoning, ...parts] },
  ]);
});

test("parts that only an AI SDK provider understands are not sent to other models", async () => {
  const providerOptions = { google: { thoughtSignature: "x" } };
  const part = { type: "reasoning", text: "Hm." };
  const messages = [
    ...REQUEST.messages,
    {
      role: "assistant",
      content: [
        { type: "ai_sdk_part", part },
        { type: "text", text: "So", providerOptions },
      ],
    },
    { role: "assistant", content: [{ type: "ai_sdk_part", part }] },
  ] as const;
  expect(anthropicBody("m", { ...REQUEST, messages })["messages"]).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [{ type: "text", text: "So" }] },
  ]);
  expect(JSON.stringify(anthropicBody("m", { ...REQUEST, messages }))).not.toMatch(/providerOptions|ai_sdk/);
  expect(chatBody("m", { ...REQUEST, messages }, "max_tokens")["messages"]).toEqual([
    { role: "user", content: "go" },
    { role: "assistant", content: "So" },
  ]);
});

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
const remote = { type: "document", source: { type: "url", url: "https://a.test/b.pdf" } };
const note = { type: "document", source: { type: "text", media_type: "text/plain", data: "plain" } };
const RESULTS: readonly Message[] = [
  ...REQUEST.messages,
  {
    role: "assistant",
    content: ["a", "b", "c", "d"].map((id) => ({ type: "tool_use", id, name: "Read", input: {} })),
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: "boom", is_error: true },
      { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "one" }], is_error: false },
      {
        type: "tool_result",
        tool_use_id: "c",
        content: [{ type: "text", text: "see" }, image, remote, note],
      },
      { type: "tool_result", tool_use_id: "d", content: [image], is_error: true },
      { type: "text", text: "and?" },
      image,
      remote,
    ],
  },
];

test("results, images and documents have the format of each version of the specification", async () => {
  const url = new URL("https://a.test/b.pdf");
  const forms = {
    v2: {
      image: { type: "media", data: "AAAA", mediaType: "image/png" },
      remote: { type: "text", text: "[document: https://a.test/b.pdf]" },
      data: "AAAA",
      url,
    },
    v3: {
      image: { type: "image-data", data: "AAAA", mediaType: "image/png" },
      remote: { type: "file-url", url: "https://a.test/b.pdf" },
      data: "AAAA",
      url,
    },
    v4: {
      image: { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
      remote: { type: "file", mediaType: "application/pdf", data: { type: "url", url } },
      data: { type: "data", data: "AAAA" },
      url: { type: "url", url },
    },
  };
  for (const [version, form] of Object.entries(forms)) {
    const result = (toolCallId: string, output: object) => ({
      type: "tool-result",
      toolCallId,
      toolName: "Read",
      output,
    });
    const failed = { type: "text", text: "Error: the call failed." };
    const seen = [{ type: "text", text: "see" }, form.image, form.remote, { type: "text", text: "plain" }];
    expect(((await promptFor(RESULTS, version)) as object[]).slice(2)).toEqual([
      {
        role: "tool",
        content: [
          result("a", { type: "error-text", value: "boom" }),
          result("b", { type: "text", value: "one" }),
          result("c", { type: "content", value: seen }),
          result("d", { type: "content", value: [failed, form.image] }),
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "and?" },
          { type: "file", mediaType: "image/png", data: form.data },
          { type: "file", mediaType: "application/pdf", data: form.url },
        ],
      },
    ]);
  }
});

test("everything that a provider throws becomes a ModelError", async () => {
  const failing = (error: Error | string | null) => ({
    specificationVersion: "v3",
    provider: "failing",
    modelId: "failing",
    async doStream(): Promise<never> {
      throw error;
    },
  });
  for (const [error, kind, isRetryable] of [
    [Object.assign(new Error("no key"), { name: "AI_LoadAPIKeyError" }), "credentials", false],
    [
      Object.assign(new Error("no audio"), { name: "AI_UnsupportedFunctionalityError" }),
      "bad-request",
      false,
    ],
    [Object.assign(new Error("odd"), { name: "AI_APICallError" }), "unreachable", true],
    [new TypeError("a bug"), "protocol", false],
    ["words", "server", true],
    [null, "server", true],
  ] as const) {
    const stream = aiSdk(failing(error)).stream(REQUEST, new AbortController().signal);
    const read = async () => {
      for await (const _event of stream);
    };
    await expect(read()).rejects.toMatchObject({ name: "ModelError", kind, isRetryable });
  }
});

test("an object that is not a model of the SDK is refused at once", () => {
  const text = "aiSdk: expected a language model object of the AI SDK (specification v2 to v4), got";
  expect(() => aiSdk("openai/gpt" as never)).toThrow(`${text} string`);
  expect(() => aiSdk({ specificationVersion: "v1" } as never)).toThrow(`${text} v1`);
  expect(() => aiSdk({ specificationVersion: "v3" } as never)).toThrow(text);
});

test("B05, B14: repeated ids and unpaired surrogates do not get into the history", async () => {
  const { events } = await say([
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "a\ud83d" },
    { type: "text-delta", id: "0", delta: "\ude00b\ud800" },
    call("a\ud800", '{"n":"\\ud800"}', { toolName: "Re\ud800ad" }),
    call("a\ud800", "{}"),
    finish("tool-calls"),
  ]);
  expect(callsOf(events)).toEqual([{ id: "a\ufffd", name: "Re\ufffdad", input: { n: "\ufffd" } }]);
  expect(blocksOf(events)).toEqual([
    { type: "text", text: "a😀b\ufffd" },
    { type: "tool_use", id: "a\ufffd", name: "Re_ad", input: { n: "\ufffd" } },
  ]);
});
