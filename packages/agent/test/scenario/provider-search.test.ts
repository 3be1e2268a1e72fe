import { afterEach, expect, test } from "vitest";
import type { Model } from "../../src/model/event.ts";
import { anthropic } from "../../src/model/anthropic.ts";
import type { Block, Message } from "../../src/model/message.ts";
import { openai } from "../../src/model/openai.ts";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../support/responses.ts";
import { read } from "../support/read-tool.ts";
import { runQuery } from "../support/run-query.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function served(...answers: readonly (readonly object[])[]): Promise<ModelServer> {
  const scripted = answers.map((events): ScriptedAnswer => ({ pieces: [sse(events)] }));
  const server = await modelServer(...scripted);
  servers.push(server);
  return server;
}

const run = (model: Model, messages: readonly Message[] = []) =>
  runQuery({ prompt: "go", tools: [read], model, messages });

/** A list of one request. */
const sentOf = (server: ModelServer, at: number, name: string): readonly unknown[] =>
  (server.requests[at]?.body[name] ?? []) as readonly unknown[];

/** As the Messages API documents them. */
const SEARCH = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "runahead é" },
};
const FOUND = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [
    {
      type: "web_search_result",
      title: "Runahead",
      url: "https://example.com/",
      encrypted_content: "EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUt",
      page_age: "April 30, 2025",
    },
  ],
};
const CITATION = {
  type: "web_search_result_location",
  url: "https://example.com/",
  title: "Runahead",
  encrypted_index: "Eo8BCioIAhgBIiQyYjQ0OWJmZi1lNm",
  cited_text: "It runs ahead.",
};
const CITED = { type: "text", text: "It runs ahead.", citations: [CITATION] };
const CALL = { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a.ts" } };

const searching = (index: number): object[] => [
  { type: "content_block_start", index, content_block: { ...SEARCH, input: {} } },
  { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: '{"query": ' } },
  { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: '"runahead é"}' } },
  { type: "content_block_stop", index },
];
const found = (index: number): object[] => [
  { type: "content_block_start", index, content_block: FOUND },
  { type: "content_block_stop", index },
];
const cited = (index: number): object[] => [
  { type: "content_block_start", index, content_block: { type: "text", text: "", citations: [] } },
  { type: "content_block_delta", index, delta: { type: "citations_delta", citation: CITATION } },
  { type: "content_block_delta", index, delta: { type: "text_delta", text: CITED.text } },
  { type: "content_block_stop", index },
];
const counted = (reason: string, searches: number): object[] => [
  {
    type: "message_delta",
    delta: { stop_reason: reason },
    usage: { output_tokens: 10, server_tool_use: { web_search_requests: searches } },
  },
  { type: "message_stop" },
];

const SEARCH_TOOL = {
  type: "web_search_20250305",
  name: "web_search",
  max_uses: 3,
  allowed_domains: ["example.com"],
};

test("B10: a search that Anthropic runs is not a call, and is sent back byte for byte, through a pause and next to calls", async () => {
  const server = await served(
    [messageStart, ...searching(0), ...found(1), ...counted("pause_turn", 2)],
    [
      messageStart,
      ...cited(0),
      ...callBlock(1, "toolu_1", '{"file_path": "a.ts"}'),
      ...messageEnd("tool_use"),
    ],
    [messageStart, ...textBlock(0, "Done."), ...messageEnd("end_turn")],
  );
  const webSearch = { maxUses: 3, allowedDomains: ["example.com"] };
  const model = anthropic({ model: "claude-sonnet-5", apiKey: "key", baseURL: server.url, webSearch });
  const { events, result } = await run(model);
  expect([result.reason, result.text, server.requests.length]).toEqual(["completed", "Done.", 3]);
  const started = events.flatMap((event) => (event.type === "call-started" ? [event.callId] : []));
  expect(started).toEqual(["toolu_1"]);

  const paused = JSON.stringify([SEARCH, FOUND]);
  expect(JSON.stringify(sentOf(server, 1, "messages").at(-1))).toBe(
    `{"role":"assistant","content":${paused}}`,
  );
  expect(server.requests[2]?.text).toContain(paused);
  expect(server.requests[2]?.text).toContain(JSON.stringify([CITED, CALL]));
  const tools = server.requests.map(({ body }) => JSON.stringify(body["tools"]));
  expect([new Set(tools).size, sentOf(server, 0, "tools").at(-1)]).toEqual([
    1,
    { ...SEARCH_TOOL, cache_control: { type: "ephemeral" } },
  ]);

  expect(result.usage.webSearches).toBe(2);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = result.usage;
  const tokens = inputTokens * 2 + outputTokens * 10 + cacheReadTokens * 0.2 + cacheWriteTokens * 2.5;
  expect(result.costUsd).toBeCloseTo(tokens / 1_000_000 + 0.02, 9);
});

test("B10: a search without an answer, next to one of our calls, is followed only by results", async () => {
  const server = await served(
    [
      messageStart,
      ...searching(0),
      ...callBlock(1, "toolu_1", '{"file_path": "a.ts"}'),
      ...messageEnd("tool_use"),
    ],
    [messageStart, ...found(0), ...textBlock(1, "Done."), ...messageEnd("end_turn")],
  );
  const model = anthropic({ model: "claude-sonnet-5", apiKey: "key", baseURL: server.url, webSearch: {} });
  const { result } = await run(model);
  expect([result.reason, result.text]).toEqual(["completed", "Done."]);
  const sent = sentOf(server, 1, "messages") as Message[];
  expect(sent.map(({ content }) => (content as Block[]).map(({ type }) => type))).toEqual([
    ["text"],
    ["server_tool_use", "tool_use"],
    ["tool_result"],
  ]);
});

test("a request without tools, such as a question about a page, does not offer the search", async () => {
  const done = [messageStart, ...textBlock(0, "Done."), ...messageEnd("end_turn")];
  const server = await served(done, done);
  const model = anthropic({ model: "claude-sonnet-5", apiKey: "key", baseURL: server.url, webSearch: {} });
  await runQuery({ prompt: "go", tools: [], model });
  expect(server.requests[0]?.body["tools"]).toBe(undefined);
  await runQuery({ prompt: "go", tools: [read], model: { ...model, name: "other" } });
  expect(server.requests[1]?.body["tools"]).toHaveLength(2);
});

test("it replaces our own search tool, in the same position", async () => {
  const done = [messageStart, ...textBlock(0, "Done."), ...messageEnd("end_turn")];
  const webSearch = { inPlaceOf: "WebSearch" };
  const own = { ...read, name: "WebSearch" };
  const server = await served(done, done);
  const model = anthropic({ model: "claude-sonnet-5", apiKey: "key", baseURL: server.url, webSearch });
  await runQuery({ prompt: "go", tools: [own, read], model });
  await runQuery({ prompt: "go", tools: [read], model });
  const responses = await served(
    [created, ...spoken("Done.", 0), ending],
    [created, ...spoken("Done.", 0), ending],
  );
  const address = { baseURL: `${responses.url}/v1`, api: "responses" } as const;
  const other = openai({ model: "gpt-5.2", apiKey: "key", ...address, webSearch });
  await runQuery({ prompt: "go", tools: [own, read], model: other });
  await runQuery({ prompt: "go", tools: [read], model: other });
  const offered = [...server.requests, ...responses.requests].map(({ body }) =>
    (body["tools"] as Block[]).map(({ type, name }) => name ?? type),
  );
  expect(offered).toEqual([["Read", "web_search"], ["Read"], ["Read", "web_search"], ["Read"]]);
});

/** As the Responses API documents them. */
const REASONING = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAA" };
const WEB_SEARCH = {
  id: "ws_1",
  type: "web_search_call",
  status: "completed",
  action: { type: "search", query: "runahead é", queries: ["runahead é"] },
};
const OPENED = {
  id: "ws_2",
  type: "web_search_call",
  status: "completed",
  action: { type: "open_page", url: "https://example.com/" },
};
const item = (done: object, output_index: number): object[] => [
  { type: "response.output_item.added", output_index, item: { ...done, status: "in_progress" } },
  { type: "response.web_search_call.searching", output_index, item_id: "ws_1" },
  { type: "response.output_item.done", output_index, item: done },
];
const spoken = (text: string, output_index: number): object[] => [
  { type: "response.output_text.delta", output_index, delta: text },
  {
    type: "response.output_text.annotation.added",
    output_index,
    annotation: {
      type: "url_citation",
      url: "https://example.com/",
      title: "Runahead",
      start_index: 0,
      end_index: 2,
    },
  },
];
const ending = {
  type: "response.completed",
  response: { usage: { input_tokens: 1_000, output_tokens: 100 } },
};
const created = { type: "response.created", response: { id: "resp_1", model: "gpt-5.2" } };
const FUNCTION = { type: "function_call", id: "fc_1", call_id: "call_1", name: "Read" };
const called = [
  { type: "response.output_item.added", output_index: 5, item: { ...FUNCTION, arguments: "" } },
  {
    type: "response.function_call_arguments.delta",
    output_index: 5,
    item_id: "fc_1",
    delta: '{"file_path": "a.ts"}',
  },
  {
    type: "response.output_item.done",
    output_index: 5,
    item: { ...FUNCTION, arguments: '{"file_path": "a.ts"}' },
  },
];

test("a search that OpenAI runs is not a call, and is sent back unchanged and in place", async () => {
  const server = await served(
    [
      created,
      ...spoken("Let me look.", 0),
      ...item(REASONING, 1),
      ...item(WEB_SEARCH, 2),
      ...item(OPENED, 3),
      ...spoken("It runs ahead.", 4),
      ...called,
      ending,
    ],
    [created, ...spoken("Done.", 0), ending],
  );
  const webSearch = { maxUses: 3, allowedDomains: ["example.com"] };
  const address = { baseURL: `${server.url}/v1`, api: "responses" } as const;
  const { events, result } = await run(openai({ model: "gpt-5.2", apiKey: "key", ...address, webSearch }));
  expect([result.reason, result.text]).toEqual(["completed", "Done."]);
  const started = events.flatMap((event) => (event.type === "call-started" ? [event.callId] : []));
  expect(started).toEqual(["call_1"]);
  expect([sentOf(server, 0, "tools").at(-1), server.requests[0]?.body["max_tool_calls"]]).toEqual([
    { type: "web_search", filters: { allowed_domains: ["example.com"] } },
    3,
  ]);
  const said = (text: string) => ({ role: "assistant", content: [{ type: "output_text", text }] });
  expect(sentOf(server, 1, "input").slice(1, 6)).toEqual([
    said("Let me look."),
    REASONING,
    WEB_SEARCH,
    OPENED,
    said("It runs ahead."),
  ]);
  expect(result.usage).toEqual({
    inputTokens: 2_000,
    outputTokens: 200,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    webSearches: 1,
  });
  expect(result.costUsd).toBeCloseTo((2_000 * 1.75 + 200 * 14) / 1_000_000 + 0.01, 9);
});

test("searches of one provider are not sent to another", async () => {
  const messages: Message[] = [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        SEARCH,
        FOUND,
        { type: "openai_web_search", item: WEB_SEARCH },
        { type: "text", text: "So." },
      ],
    },
  ];
  const anthropicServer = await served([messageStart, ...textBlock(0, "Done."), ...messageEnd("end_turn")]);
  await run(anthropic({ model: "claude-sonnet-5", apiKey: "key", baseURL: anthropicServer.url }), messages);
  expect(anthropicServer.requests[0]?.text).toContain("srvtoolu_1");
  expect(anthropicServer.requests[0]?.text).not.toContain("ws_1");
  const openaiServer = await served([created, ...spoken("Done.", 0), ending]);
  const address = { baseURL: `${openaiServer.url}/v1`, api: "responses" } as const;
  await run(openai({ model: "gpt-5.2", apiKey: "key", ...address }), messages);
  expect(openaiServer.requests[0]?.text).toContain("ws_1");
  expect(openaiServer.requests[0]?.text).not.toContain("srvtoolu_1");
});

test("Chat Completions have no search, and say so", async () => {
  const model = openai({ model: "m", baseURL: "http://127.0.0.1:1/v1", webSearch: {} });
  const { result } = await run(model);
  expect(result).toMatchObject({
    reason: "model_error",
    detail: expect.stringContaining(
      'webSearch needs the Responses API. Set api to "responses", or remove webSearch.',
    ) as string,
  });
});
