/** What servers of the Messages API send, each in its own form, against what the official SDK makes of it. */

import { expect, test } from "vitest";
import { DONE, agreed, block, read, start, stop } from "./events.ts";
import { nextRequest } from "./replay.ts";

const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });
const text = (index: number, said: string) =>
  block(index, { type: "text", text: "" }, [{ type: "text_delta", text: said }]);
const called = (index: number, id: string, pieces: readonly string[], more: object = {}) =>
  block(index, { type: "tool_use", id, name: "Read", input: {}, ...more }, pieces.map(json));
const served = (index: number, id: string, name: string, input: string, more: object = {}) =>
  block(index, { type: "server_tool_use", id, name, input: {}, ...more }, [json(""), json(input)]);
const ended = (delta: object, usage: object | null = { output_tokens: 9 }, more: object = {}) => [
  { type: "message_delta", delta: { stop_sequence: null, ...delta }, usage, ...more },
  { type: "message_stop" },
];
const search = { type: "web_search_result", title: "t", url: "u", encrypted_content: "E", page_age: null };
const cited = {
  type: "web_search_result_location",
  cited_text: "c",
  url: "u",
  title: "t",
  encrypted_index: "I",
};
const program = { caller: { type: "code_execution_20250825", tool_id: "s" } };

interface Form {
  readonly events: readonly object[];
  readonly text?: string;
  readonly thinking?: string;
  readonly stop?: string;
  readonly calls?: number;
  readonly usage?: object;
}

const FORMS: Readonly<Record<string, Form>> = {
  "web search: results, citations and the number of searches": {
    events: [
      ...text(0, "Look."),
      ...served(1, "s", "web_search", '{"query":"x"}'),
      ...block(2, { type: "web_search_tool_result", tool_use_id: "s", content: [search] }),
      ...block(3, { type: "text", text: "", citations: [] }, [
        { type: "citations_delta", citation: cited },
        { type: "text_delta", text: "Yes" },
      ]),
      ...text(4, "."),
      ...ended(
        { stop_reason: "end_turn" },
        { output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
      ),
    ],
    text: "Look.Yes.",
    usage: { webSearches: 1 },
  },
  "web search: an error in place of results, and a pause": {
    events: [
      ...served(0, "s", "web_search", '{"query":"x"}'),
      ...block(1, {
        type: "web_search_tool_result",
        tool_use_id: "s",
        content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
      }),
      ...stop("pause_turn"),
    ],
    stop: "pause_turn",
  },
  "programmatic calls: who calls, and the container": {
    events: [
      ...served(0, "s", "code_execution", '{"code":"await Read()"}', { caller: { type: "direct" } }),
      ...called(1, "a", ['{"n":', "1}"], program),
      ...ended({ stop_reason: "tool_use", container: { id: "c", expires_at: "2100-01-01T00:00:00Z" } }),
    ],
    stop: "tool_use",
    calls: 1,
  },
  "code execution: results with files": {
    events: [
      ...served(0, "s", "bash_code_execution", '{"command":"ls"}'),
      ...block(1, {
        type: "bash_code_execution_tool_result",
        tool_use_id: "s",
        content: { type: "bash_code_execution_result", stdout: "a", content: [{ file_id: "f" }] },
      }),
      ...block(2, { type: "container_upload", file_id: "f" }),
      ...text(3, "Done."),
      ...stop("end_turn"),
    ],
    text: "Done.",
  },
  "thinking: signed, sealed, and signed without a text": {
    events: [
      ...block(0, { type: "thinking", thinking: "", signature: "" }, [
        { type: "thinking_delta", thinking: "Hm", estimated_tokens: 5 },
        { type: "signature_delta", signature: "SIG" },
      ]),
      ...block(1, { type: "redacted_thinking", data: "RED" }),
      ...block(2, { type: "thinking", thinking: "", signature: "" }, [
        { type: "signature_delta", signature: "SIG2" },
      ]),
      ...text(3, "Hi"),
      ...stop("end_turn"),
    ],
    text: "Hi",
    thinking: "Hm",
  },
  "thinking: without a signature (DeepSeek), or with an empty one (GLM)": {
    events: [
      ...block(0, { type: "thinking", thinking: "" }, [{ type: "thinking_delta", thinking: "Hm" }]),
      ...block(1, { type: "thinking", thinking: "" }, [
        { type: "thinking_delta", thinking: "m" },
        { type: "signature_delta", signature: "" },
      ]),
      ...called(2, "call_00", ['{"n":1}']),
      ...stop("tool_use"),
    ],
    thinking: "Hmm",
    stop: "tool_use",
    calls: 1,
  },
  "compaction: the server stops after it": {
    events: [
      ...block(0, { type: "compaction", content: null }, [{ type: "compaction_delta", content: "Sum" }]),
      ...stop("compaction"),
    ],
    stop: "compaction",
  },
  "compaction: encrypted, and the answer after it": {
    events: [
      ...block(0, { type: "compaction", content: null, encrypted_content: null }, [
        { type: "compaction_delta", content: "Sum", encrypted_content: "ENC" },
      ]),
      ...text(1, "Hi"),
      ...ended(
        { stop_reason: "end_turn" },
        { input_tokens: 23, output_tokens: 9, iterations: [{ type: "compaction", input_tokens: 180 }] },
        { context_management: { applied_edits: [] } },
      ),
    ],
    text: "Hi",
    usage: { inputTokens: 23 },
  },
  "MCP: the server calls its own tools": {
    events: [
      ...block(0, { type: "mcp_tool_use", id: "m", name: "echo", input: {}, server_name: "s" }, [
        json('{"m":1}'),
      ]),
      ...block(1, { type: "mcp_tool_result", tool_use_id: "m", is_error: false, content: [] }),
      ...stop("end_turn"),
    ],
  },
  "tool search, and a call of what it found": {
    events: [
      ...served(0, "s", "tool_search_tool_regex", '{"pattern":"x"}'),
      ...block(1, {
        type: "tool_search_tool_result",
        tool_use_id: "s",
        content: { type: "tool_search_tool_search_result", tool_references: [{ tool_name: "Read" }] },
      }),
      ...called(2, "a", ["", '{"n":1}']),
      ...stop("tool_use"),
    ],
    stop: "tool_use",
    calls: 1,
  },
  "calls without arguments: an empty piece, or none": {
    events: [...called(0, "a", [""]), ...called(1, "b", []), ...stop("tool_use")],
    stop: "tool_use",
    calls: 2,
  },
  "a call that the limit cuts off": {
    events: [...text(0, "Hi"), ...called(1, "a", ['{"n":"x', '","m":']), ...stop("max_tokens")],
    text: "Hi",
    stop: "max_tokens",
  },
  "a stop sequence": {
    events: [...text(0, "Hi"), ...stop("stop_sequence")],
    text: "Hi",
    stop: "stop_sequence",
  },
  "a full context window": {
    events: [...text(0, "Hi"), ...stop("model_context_window_exceeded")],
    text: "Hi",
    stop: "model_context_window_exceeded",
  },
  "a refusal with details": {
    events: [
      ...text(0, "Hi"),
      ...ended({ stop_reason: "refusal", stop_details: { type: "refusal", category: "cyber" } }),
    ],
    text: "Hi",
    stop: "refusal",
  },
  "gateways: the input with the beginning of the block, and again in a piece": {
    events: [
      ...called(0, "a", ['{"n":1}'], { input: { n: 1 } }),
      ...called(1, "b", [], { input: { n: 2 } }),
      ...stop("tool_use"),
    ],
    stop: "tool_use",
    calls: 2,
  },
  "LiteLLM: an empty text before a call, and all counts at the end": {
    events: [
      ...block(0, { type: "text", text: "" }),
      ...called(1, "a", ['{"n":1}']),
      ...ended(
        { stop_reason: "tool_use" },
        { input_tokens: 30, output_tokens: 4, cache_read_input_tokens: 6 },
      ),
    ],
    stop: "tool_use",
    calls: 1,
    usage: { inputTokens: 30, cacheReadTokens: 6, outputTokens: 4 },
  },
  "blocks that are open at the same time": {
    events: [
      ...block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "H" }]).slice(0, 2),
      ...called(1, "a", ['{"n":1}']).slice(0, 2),
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "i" } },
      { type: "content_block_stop", index: 1 },
      { type: "content_block_stop", index: 0 },
      ...stop("tool_use"),
    ],
    text: "Hi",
    stop: "tool_use",
    calls: 1,
  },
  "the counts and the reason in events of their own": {
    events: [
      ...text(0, "Hi"),
      { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 3 } },
      ...stop("end_turn"),
    ],
    text: "Hi",
    usage: { outputTokens: 9 },
  },
  "no counts": {
    events: [...text(0, "Hi"), ...ended({ stop_reason: "end_turn" }, null)],
    text: "Hi",
  },
  "citations of a document": {
    events: [
      ...block(0, { type: "text", text: "", citations: [] }, [
        { type: "text_delta", text: "Hi" },
        { type: "citations_delta", citation: { type: "char_location", cited_text: "g", file_id: null } },
      ]),
      ...stop("end_turn"),
    ],
    text: "Hi",
  },
  "half a character at the end of a piece": {
    events: [
      ...block(0, { type: "text", text: "" }, [
        { type: "text_delta", text: "a\uD83D" },
        { type: "text_delta", text: "\uDE00b" },
      ]),
      ...stop("end_turn"),
    ],
    text: "a😀b",
  },
};

test.each(Object.entries(FORMS))("%s", async (_name, form) => {
  const events = [start(), { type: "ping" }, ...form.events];
  const heard = await agreed("anthropic", events);
  expect(heard).toMatchObject({
    error: undefined,
    text: form.text ?? "",
    thinking: form.thinking ?? "",
    stop: form.stop ?? "end_turn",
    usage: form.usage ?? {},
  });
  expect(heard.calls).toHaveLength(form.calls ?? 0);
  expect(await agreed("anthropic", events, DONE)).toEqual(heard);
});

test("events without a name, and what Bedrock adds to the last one", async () => {
  const events = [start(), ...text(0, "Hi"), ...stop("end_turn")];
  const bare = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const metrics = bare.replace('"message_stop"', '"message_stop","amazon-bedrock-invocationMetrics":{"a":1}');
  expect(await read("anthropic", metrics)).toMatchObject({ text: "Hi", stop: "end_turn", error: undefined });
});

test("a compaction goes back as the only block of its message", async () => {
  const events = block(0, { type: "compaction", content: null }, [
    { type: "compaction_delta", content: "Sum" },
  ]);
  const heard = await agreed("anthropic", [start(), ...events, ...stop("compaction")]);
  const [, answer] = nextRequest("anthropic", heard)["messages"] as { content: object[] }[];
  expect(answer?.content).toEqual([{ type: "compaction", content: "Sum" }]);
});
