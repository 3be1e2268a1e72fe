/** What servers of Chat Completions send, each in its own form, against what the official SDK makes of it. */

import { expect, test } from "vitest";
import { DONE, agreed, assistant, chunk, finish, role, usage } from "./events.ts";

const U = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const calls = (...tool_calls: object[]) => chunk({ tool_calls });
const called = (index: number | undefined, id: string | null | undefined, name: unknown, text: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: "function" }),
  function: { ...(name === undefined ? {} : { name }), ...(text === undefined ? {} : { arguments: text }) },
});
const piece = (index: number, text: string, more: object = {}) =>
  calls({ index, function: { arguments: text }, ...more });
const thought = (type: string, text: string, more: object) => ({ type, text, index: 0, ...more });

const READ = [{ name: "Read", input: { n: 1 } }];
const TWO = [...READ, { name: "Read", input: { n: 2 } }];

interface Form {
  readonly events: readonly object[];
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly object[];
  readonly usage?: object;
}

const FORMS: Readonly<Record<string, Form>> = {
  "vLLM: the name first, a stop reason of its own, an empty piece at the end": {
    events: [
      chunk({ role: "assistant", content: "" }, { logprobs: null }),
      chunk({ reasoning: "Hm", reasoning_content: "Hm" }, { token_ids: null }),
      calls(called(0, "chatcmpl-tool-a", "Read", undefined)),
      piece(0, '{"n": '),
      piece(0, "1}"),
      calls(called(1, "chatcmpl-tool-b", "Read", undefined)),
      piece(1, '{"n": 2}'),
      chunk(
        { tool_calls: [called(1, undefined, undefined, "")] },
        { finish_reason: "tool_calls", stop_reason: 151_643 },
      ),
      usage({ ...U, prompt_tokens_details: null }),
    ],
    thinking: "Hm",
    calls: TWO,
  },
  "vLLM: usage with every chunk": {
    events: [
      { ...role, usage: { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 } },
      { ...chunk({ content: "Hi" }), usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } },
      { ...finish("length"), usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
    ],
    text: "Hi",
    usage: { inputTokens: 10, outputTokens: 2 },
  },
  "Kimi: an id with dots, and usage inside the choice": {
    events: [
      role,
      calls(called(0, "functions.Read:0", "Read", "")),
      piece(0, '{"n":1}'),
      chunk({}, { finish_reason: "tool_calls", usage: { ...U, cached_tokens: 4 } }),
    ],
    calls: READ,
    usage: { inputTokens: 6, cacheReadTokens: 4 },
  },
  "SGLang: every member in every chunk": {
    events: [
      {
        ...chunk({ role: "assistant", content: "", reasoning_content: null, tool_calls: null }),
        usage: null,
      },
      chunk({ role: null, content: null, reasoning_content: "Hm", tool_calls: null }, { matched_stop: null }),
      chunk({ content: null, tool_calls: [called(0, "call_1", "Read", "")] }),
      chunk({ content: null, tool_calls: [called(0, null, null, '{"n": ')] }),
      chunk({ content: null, tool_calls: [called(0, null, null, "1}")] }),
      chunk({ content: null, tool_calls: null }, { finish_reason: "tool_calls", matched_stop: null }),
      usage({ ...U, reasoning_tokens: 2 }),
    ],
    thinking: "Hm",
    calls: READ,
  },
  "a server that repeats the id and the name with every piece": {
    events: [
      role,
      calls(called(0, "call_1", "Read", "")),
      calls(called(0, "call_1", "Read", '{"n"')),
      calls(called(0, "call_1", "Read", ":1}")),
      finish("tool_calls"),
      usage(U),
    ],
    calls: READ,
  },
  "llama.cpp: the content is null, and the last chunk has timings": {
    events: [
      chunk({ role: "assistant", content: null }),
      chunk({ reasoning_content: "Hm" }),
      calls(called(0, "aB3", "Read", "{")),
      piece(0, '"n":'),
      piece(0, "1}"),
      finish("tool_calls"),
      { ...usage(U), timings: { cache_n: 3 } },
    ],
    thinking: "Hm",
    calls: READ,
  },
  "Ollama: whole calls, all with the index 0": {
    events: [
      chunk({ role: "assistant", content: "", reasoning: "Hm" }),
      chunk({ role: "assistant", content: "", tool_calls: [called(0, "call_1", "Read", '{"n":1}')] }),
      chunk({ role: "assistant", content: "", tool_calls: [called(0, "call_2", "Read", '{"n":2}')] }),
      finish("tool_calls"),
      usage(U),
    ],
    thinking: "Hm",
    calls: TWO,
  },
  "LM Studio: an empty name with every piece": {
    events: [
      role,
      calls(called(0, "389223457", "Read", "")),
      piece(0, "", { type: "function", function: { name: "", arguments: '{"n"' } }),
      piece(0, "", { type: "function", function: { name: "", arguments: ":1}" } }),
      { ...finish("tool_calls"), stats: {} },
    ],
    calls: READ,
  },
  "DeepSeek: one of content and reasoning is null, and the cache has names of its own": {
    events: [
      chunk({ role: "assistant", content: null, reasoning_content: "" }),
      chunk({ content: null, reasoning_content: "Hm" }),
      chunk({ content: "Hi", reasoning_content: null }),
      {
        ...chunk({ content: "", reasoning_content: null }, { finish_reason: "stop" }),
        usage: { ...U, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 },
      },
    ],
    text: "Hi",
    thinking: "Hm",
    usage: { inputTokens: 6, cacheReadTokens: 4 },
  },
  "Mistral: whole calls with the finish reason, and padding": {
    events: [
      role,
      {
        ...chunk(
          {
            content: "",
            tool_calls: [
              { id: "Ff1dDGuuC", function: { name: "Read", arguments: '{"n": 1}' }, index: 0 },
              { id: "Ff1dDGuuD", function: { name: "Read", arguments: '{"n": 2}' }, index: 1 },
            ],
          },
          { finish_reason: "tool_calls" },
        ),
        usage: { ...U, num_cached_tokens: 0 },
        p: "abcde",
      },
    ],
    calls: TWO,
  },
  "Mistral: references between the parts of a text": {
    events: [
      chunk({
        role: "assistant",
        content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }], closed: true }],
      }),
      chunk({ content: [{ type: "text", text: "Hi" }] }),
      chunk({ content: [{ type: "reference", reference_ids: [0, 1] }] }),
      chunk({ content: [{ type: "text", text: "." }] }),
      { ...chunk({ content: "" }, { finish_reason: "stop" }), usage: U },
    ],
    text: "Hi.",
    thinking: "Hm",
  },
  "Groq: usage in two places, and tools that it has run itself": {
    events: [
      { ...role, x_groq: { id: "req_1" } },
      chunk({ reasoning: "Hm", channel: "analysis" }),
      chunk({ executed_tools: [{ index: 0, type: "search", arguments: "{}", output: "x" }] }),
      calls(called(0, "fc_1", "Read", '{"n":1}')),
      {
        ...finish("tool_calls"),
        x_groq: { id: "req_1", usage: U },
        usage: { ...U, queue_time: 0.1, prompt_tokens_details: { cached_tokens: 2 } },
      },
    ],
    thinking: "Hm",
    calls: READ,
    usage: { inputTokens: 8, cacheReadTokens: 2 },
  },
  "Together: the text beside the delta, and cached tokens beside the others": {
    events: [
      chunk({ token_id: 5, role: "assistant", content: "Hi", tool_calls: null }, { text: "Hi", seed: null }),
      chunk(
        { role: "assistant", content: "", tool_calls: [called(0, "call_1", "Read", '{"n":1}')] },
        { text: "" },
      ),
      {
        ...chunk({ content: "", tool_calls: [] }, { text: "", finish_reason: "tool_calls", seed: 1 }),
        usage: { ...U, cached_tokens: 4 },
      },
    ],
    text: "Hi",
    calls: READ,
    usage: { inputTokens: 6, cacheReadTokens: 4 },
  },
  "Fireworks: an id of null with every piece": {
    events: [
      chunk({ role: "assistant" }),
      calls(called(0, "call_1", "Read", undefined)),
      piece(0, "", { id: null, type: null, function: { name: null, arguments: '{"n"' } }),
      piece(0, ":1}"),
      { ...finish("tool_calls"), usage: { ...U, perf_metrics: {} } },
    ],
    calls: READ,
  },
  "OpenRouter: Gemini's sealed reasoning, one for each call": {
    events: [
      chunk({
        role: "assistant",
        content: "",
        reasoning: "Hm",
        reasoning_details: [thought("reasoning.text", "Hm", { format: "google-gemini-v1" })],
      }),
      chunk(
        {
          content: null,
          tool_calls: [called(0, "tool_0_Read", "Read", '{"n":1}')],
          reasoning_details: [
            { id: "tool_0_Read", type: "reasoning.encrypted", data: "SIG", format: "g", index: 0 },
          ],
        },
        { native_finish_reason: null },
      ),
      chunk({ content: "" }, { finish_reason: "tool_calls", native_finish_reason: "STOP" }),
      usage({ ...U, cost: 0.1, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 } }),
    ],
    thinking: "Hm",
    calls: READ,
  },
  "OpenRouter: annotations and images": {
    events: [
      chunk({ role: "assistant", content: "Hi", refusal: null }),
      chunk({ content: "", annotations: [{ type: "url_citation", url_citation: { url: "u" } }] }),
      chunk({ content: "", images: [{ type: "image_url", image_url: { url: "data:image/png;base64,A" } }] }),
      finish("stop"),
      usage(U),
    ],
    text: "Hi",
  },
  "xAI: reasoning that only the total counts": {
    events: [
      chunk({ role: "assistant", reasoning_content: "Hm" }),
      chunk({ content: "Hi" }),
      finish("stop"),
      usage({ ...U, total_tokens: 35, completion_tokens_details: { reasoning_tokens: 20 } }),
    ],
    text: "Hi",
    thinking: "Hm",
    usage: { outputTokens: 25 },
  },
  "Gemini: calls without an index": {
    events: [
      chunk({ role: "assistant", tool_calls: [called(undefined, "function-call-1", "Read", '{"n":1}')] }),
      chunk({ role: "assistant", tool_calls: [called(undefined, "function-call-2", "Read", '{"n":2}')] }),
      { ...finish("stop"), usage: U },
    ],
    calls: TWO,
  },
  "MLX: neither ids nor indexes": {
    events: [
      role,
      chunk(
        {
          tool_calls: [
            called(undefined, null, "Read", '{"n": 1}'),
            called(undefined, null, "Read", '{"n": 2}'),
          ],
        },
        { finish_reason: "tool_calls" },
      ),
      usage(U),
    ],
    calls: TWO,
  },
  "TGI: one call in place of a list": {
    events: [
      chunk({ role: "assistant", tool_calls: called(0, "", "Read", '{"n"') }),
      chunk({ role: "assistant", tool_calls: called(0, "", null, ":1}") }),
      finish("eos_token"),
    ],
    calls: READ,
  },
  "a gateway with a new id and the name again with every piece": {
    events: [
      role,
      calls(called(0, "call_1", "Read", '{"n"')),
      calls(called(0, "call_2", "Read", ":1}")),
      finish("tool_calls"),
      usage(U),
    ],
    calls: READ,
  },
  "LiteLLM: calls that are numbered from 1, and what was written to the cache": {
    events: [
      role,
      calls(called(1, "toolu_1", "Read", "")),
      piece(1, '{"n":1}', { id: null, type: "function" }),
      finish("tool_calls"),
      usage({ ...U, prompt_tokens_details: { cached_tokens: 2, cache_creation_tokens: 3 } }),
    ],
    calls: READ,
    usage: { inputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 3 },
  },
  "Qwen: an empty id with every piece, and null arguments at the end": {
    events: [
      chunk({ content: null, role: "assistant", reasoning_content: "" }),
      chunk({ content: null, tool_calls: [called(0, "call_1", "Read", "")] }),
      chunk({ content: null, tool_calls: [called(0, "", undefined, '{"n":')] }),
      chunk({ content: null, tool_calls: [called(0, "", undefined, "1}")] }),
      chunk({ content: null, tool_calls: [called(0, "", undefined, null)] }),
      finish("tool_calls"),
      usage(U),
    ],
    calls: READ,
  },
  "MiniMax: an id for each detail, and the whole answer once more": {
    events: [
      chunk({
        role: "assistant",
        content: "",
        reasoning_content: "Hm",
        reasoning_details: [thought("reasoning.text", "Hm", { id: "reasoning-text-1" })],
      }),
      chunk({ content: "Hi" }),
      { ...finish("stop"), base_resp: { status_code: 0, status_msg: "" } },
      {
        id: "c1",
        object: "chat.completion",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
        usage: U,
      },
    ],
    text: "Hi",
    thinking: "Hm",
  },
  "Azure: results of filters before, between and after": {
    events: [
      { choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [] },
      chunk({ role: "assistant", content: "", refusal: null }, { content_filter_results: {} }),
      chunk({ content: "Hi" }, { content_filter_results: { hate: { filtered: false } } }),
      finish("stop"),
      { choices: [{ content_filter_offsets: {}, finish_reason: null, index: 0 }], id: "", object: "" },
      usage(U),
    ],
    text: "Hi",
  },
  "OpenAI: audio is not a text": {
    events: [
      chunk({ role: "assistant", content: null, audio: { id: "audio_1", transcript: "Hi" } }),
      chunk({ audio: { id: "audio_1", data: "AAAA" } }),
      finish("stop"),
      usage(U),
    ],
  },
};

test.each(Object.entries(FORMS))("%s", async (_name, form) => {
  const heard = await agreed("chat", form.events, DONE);
  expect(heard).toMatchObject({
    error: undefined,
    text: form.text ?? "",
    thinking: form.thinking ?? "",
    usage: form.usage ?? {},
  });
  expect(heard.calls).toMatchObject(form.calls ?? []);
  expect(heard.calls).toHaveLength(form.calls?.length ?? 0);
});

test("members inside the function of a call go back where they came", async () => {
  const signed = { provider_specific_fields: { thought_signature: "SIG" } };
  const { function: given, ...entry } = called(0, "call_1", "Read", '{"n":1}');
  const heard = await agreed("chat", [
    role,
    calls({ ...entry, ...signed, function: { ...given, ...signed } }),
    finish("tool_calls"),
    usage(U),
  ]);
  expect(assistant("chat", heard)).toMatchObject({
    tool_calls: [{ ...signed, function: { ...signed, name: "Read", arguments: '{"n":1}' } }],
  });
});

test.each([
  [{ status_code: 500, message: "gone", type: "server_error", param: "", code: "" }, "failed to process"],
  [{ message: "gone", type: "too_many_requests_error", code: "request_quota_exceeded" }, "rate limit"],
  [{ error: "gone", error_type: "generation" }, "failed to process"],
  [{ message: "gone", type: "invalid_request_error", code: "context_length_exceeded" }, "too long"],
])("the body of an error in place of a chunk: %j", async (body, words) => {
  const { error } = await agreed("chat", [role, chunk({ content: "Hi" }), body]);
  expect(error).toContain("gone");
  expect(error).toContain(words);
});
