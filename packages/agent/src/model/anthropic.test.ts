import { afterEach, expect, test } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../../test/support/model-server.ts";
import {
  callBlock,
  messageEnd,
  messageStart,
  textBlock,
  thinkingBlock,
  wholeResponse,
} from "../../test/support/responses.ts";
import { anthropic, modelEvents } from "./anthropic.ts";
import type { ModelEvent } from "./event.ts";
import type { ModelRequest } from "./message.ts";
import { sseEvents } from "./sse.ts";

const REQUEST: ModelRequest = {
  system: "Be brief.",
  tools: [],
  messages: [{ role: "user", content: "go" }],
  maxTokens: 1_000,
};
const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function ask(answer: ScriptedAnswer, request = REQUEST) {
  const server = await modelServer(answer);
  servers.push(server);
  const model = anthropic({ model: "claude-test", apiKey: "key", baseURL: `${server.url}/` });
  const { events, error } = await collect(model.stream(request, new AbortController().signal));
  return { events, error, server };
}

const plain = (events: readonly ModelEvent[]): unknown => JSON.parse(JSON.stringify(events));
const blocksOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "block" ? [event.block] : []));
const typesOf = (events: readonly ModelEvent[]) => events.map(({ type }) => type);

const BLOCKS = [
  { type: "thinking", thinking: "Hm, “naïve” 🤔\u2028", signature: "c2lnbmF0dXJl==" },
  { type: "text", text: "Let me see – 😀" },
  { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a/ü😀.ts" } },
  { type: "tool_use", id: "toolu_2", name: "Read", input: { file_path: "b.ts" } },
];

test("a response becomes text, thinking, calls, complete blocks, usage and a stop, each as it arrives", async () => {
  const { events, error, server } = await ask({ pieces: [sse(wholeResponse)] });
  expect(error).toBeUndefined();
  expect(blocksOf(events)).toEqual(BLOCKS);
  const usage = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 40, cacheWriteTokens: 7 };
  expect(events.filter(({ type }) => type === "usage").at(-1)).toEqual({ type: "usage", usage });
  expect(events.at(-1)).toEqual({ type: "stopped", reason: "tool_use", detail: "" });
  const types = typesOf(events);
  expect(types.indexOf("call-complete")).toBeLessThan(types.lastIndexOf("call-begun"));
  expect(server.requests[0]).toMatchObject({
    path: "/v1/messages",
    headers: { "x-api-key": "key", "anthropic-version": "2023-06-01" },
  });
});

test("A01: however the bytes are split, the events are the same", async () => {
  const bytes = new TextEncoder().encode(sse(wholeResponse));
  const of = (pieces: Uint8Array[]) => collect(modelEvents(sseEvents(streamOf(pieces))));
  const whole = plain((await of([bytes])).events);
  expect(plain((await of([...bytes].map((byte) => Uint8Array.of(byte)))).events)).toEqual(whole);
  for (let at = 1; at < bytes.length; at += 7) {
    expect(plain((await of([bytes.slice(0, at), bytes.slice(at)])).events)).toEqual(whole);
  }
});

async function* streamOf(pieces: readonly Uint8Array[]) {
  yield* pieces;
}

test("A02: line endings, byte order marks, comments and unknown events are handled as in the standard", async () => {
  const text = sse([...wholeResponse, { type: "content_block_mystery", index: 0 }]);
  const [first, ...rest] = text.split("\n\n");
  const forms = [
    text.replaceAll("\n", "\r\n"),
    text.replaceAll("\n", "\r"),
    `\ufeff${text}`,
    text.replaceAll("data: ", "data:"),
    [first, ": keep-alive", ...rest].join("\n\n"),
  ];
  const expected = plain((await ask({ pieces: [text] })).events);
  for (const form of forms) expect(plain((await ask({ pieces: [form] })).events)).toEqual(expected);
});

test("A03, A04: a response without content is cut off after the limit, even if pings keep the connection alive", async () => {
  process.env["RUNAHEAD_STREAM_IDLE_MS"] = "60";
  try {
    const ping = sse([{ type: "ping" }]);
    const silent = await ask({ pieces: [sse([messageStart])], after: "hang" });
    const pinging = await ask({
      pieces: [sse([messageStart]), ...Array<string>(50).fill(ping)],
      after: "hang",
    });
    for (const { error } of [silent, pinging]) {
      expect(error).toMatchObject({
        kind: "cut",
        message: "The model sent nothing for 0.06 s. Raise RUNAHEAD_STREAM_IDLE_MS to wait longer.",
        isRetryable: true,
      });
    }
  } finally {
    delete process.env["RUNAHEAD_STREAM_IDLE_MS"];
  }
});

test("A05: a stream that ends before message_start was cut off", async () => {
  for (const after of ["end", "break"] as const) {
    const { events, error } = await ask({ pieces: [], after });
    expect([events, error?.kind, error?.isRetryable]).toEqual([[], "cut", true]);
  }
});

test("A06, A07: a response that breaks off has only its complete blocks and calls", async () => {
  const begun = {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_2", name: "Read", input: {} },
  };
  const part = {
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '{"file' },
  };
  const events = [
    messageStart,
    ...textBlock(0, "Well."),
    ...callBlock(1, "toolu_1", '{"file_path": "a"}'),
    begun,
    part,
  ];
  for (const after of ["end", "break"] as const) {
    const { events: given, error } = await ask({ pieces: [sse(events)], after });
    expect(blocksOf(given).map(({ type, id }) => [type, id])).toEqual([
      ["text", undefined],
      ["tool_use", "toolu_1"],
    ]);
    expect(given.filter(({ type }) => type === "call-complete")).toHaveLength(1);
    expect(error?.kind).toBe("cut");
  }
});

test("A08, A09: an error in the stream ends the response, and complete blocks before it are kept", async () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const atOnce = await ask({ pieces: [sse([overloaded])] });
  expect([atOnce.events, atOnce.error]).toMatchObject([[], { kind: "overloaded", isRetryable: true }]);
  const later = await ask({ pieces: [sse([messageStart, ...textBlock(0, "Done."), overloaded])] });
  expect(blocksOf(later.events)).toEqual([{ type: "text", text: "Done." }]);
  expect(later.error?.message).toMatch(/is overloaded\. Try again later.* Server message: Overloaded$/);
});

test("A10, A11: each HTTP status has an error kind, and only some are retried", async () => {
  const cases = [
    [401, {}, "credentials", false],
    [403, {}, "credentials", false],
    [404, {}, "not-found", false],
    [400, {}, "bad-request", false],
    [429, {}, "rate-limit", true],
    [429, { "x-should-retry": "false" }, "rate-limit", false],
    [400, { "x-should-retry": "true" }, "bad-request", true],
    [429, { "retry-after": "3000000" }, "rate-limit", false],
    [429, { "retry-after": "3" }, "rate-limit", true],
    [500, {}, "server", true],
    [529, {}, "overloaded", true],
  ] as const;
  for (const [status, headers, kind, isRetryable] of cases) {
    const body = JSON.stringify({ type: "error", error: { type: "x", message: "because" } });
    const { error } = await ask({ status, headers, pieces: [body] });
    expect(error).toMatchObject({ kind, status, isRetryable });
    expect(error?.message).toMatch(new RegExp(`\\(${status}\\)\\. .* Server message: because$`));
    if ("retry-after" in headers) expect(error?.retryAfterMs).toBe(Number(headers["retry-after"]) * 1_000);
  }
});

test("A12: an HTML page instead of a stream is reported as such and not retried", async () => {
  const { error } = await ask({
    headers: { "content-type": "text/html" },
    pieces: ["<html>Please log in</html>"],
  });
  expect(error).toMatchObject({ kind: "protocol", isRetryable: false });
  expect(error?.message).toMatch(
    /^127\.0\.0\.1:\d+ answered with text\/html instead of an event stream: "<html>Please log in/,
  );
  const empty = await ask({ headers: { "content-type": "application/json" }, pieces: [] });
  expect(empty.error?.message).toContain("an empty body");
});

test("without a key, no request is sent", () => {
  const model = anthropic({ model: "claude-test", apiKey: "" });
  expect(() => model.stream(REQUEST, new AbortController().signal)).toThrow(
    "No API key for Anthropic. Set ANTHROPIC_API_KEY, or pass the apiKey option.",
  );
});

test("An aborted signal ends a response that hangs at once", async () => {
  const server = await modelServer({ pieces: [sse([messageStart])], after: "hang" });
  servers.push(server);
  const abort = new AbortController();
  const model = anthropic({ model: "claude-test", apiKey: "key", baseURL: server.url });
  const reading = collect(model.stream(REQUEST, abort.signal));
  setTimeout(() => abort.abort(), 20);
  expect((await reading).error?.name).toBe("AbortError");
});

test("A18: usage that is missing, smaller or not a number never decreases the count", async () => {
  const strange = [
    { type: "message_delta", delta: {}, usage: { output_tokens: 30 } },
    { type: "message_delta", delta: {}, usage: { output_tokens: 10, input_tokens: null } },
    { type: "message_delta", delta: {} },
  ];
  const { events } = await ask({
    pieces: [sse([messageStart, ...strange, ...messageEnd("end_turn", Number.NaN)])],
  });
  const counts = events.flatMap((event) => (event.type === "usage" ? [event.usage.outputTokens] : []));
  expect(counts).toEqual([1, 30, 30, 30, 30]);
});

test("B01: a call that max_tokens cut off is dropped, and the reason is reported", async () => {
  const cut = callBlock(1, "toolu_1", '{"file_path": "a').slice(0, -1);
  const stop = { type: "content_block_stop", index: 1 };
  const { events } = await ask({
    pieces: [sse([messageStart, ...textBlock(0, "So"), ...cut, stop, ...messageEnd("max_tokens")])],
  });
  expect(blocksOf(events)).toEqual([{ type: "text", text: "So" }]);
  expect(events.filter(({ type }) => type === "call-complete")).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "stopped", reason: "max_tokens" });
});

test("B02: a call whose input is not JSON is passed on as text, and its block can go into a history", async () => {
  const events = [messageStart, ...callBlock(0, "toolu_1", '{"file_path": oops}'), ...messageEnd("tool_use")];
  const { events: given } = await ask({ pieces: [sse(events)] });
  expect(given.find(({ type }) => type === "call-complete")).toMatchObject({
    call: { inputText: '{"file_path": oops}' },
  });
  expect(blocksOf(given)).toMatchObject([{ input: { INVALID_JSON: '{"file_path": oops}' } }]);
});

test("B11: a refusal is reported with its details", async () => {
  const end = {
    type: "message_delta",
    delta: { stop_reason: "refusal", stop_details: { category: "cyber" } },
    usage: {},
  };
  const { events } = await ask({
    pieces: [sse([messageStart, ...textBlock(0, "No."), end, { type: "message_stop" }])],
  });
  expect(events.at(-1)).toEqual({ type: "stopped", reason: "refusal", detail: '{"category":"cyber"}' });
});

test("B15, V8: thinking is sent back unchanged, and the request is well-formed", async () => {
  const { events } = await ask({ pieces: [sse(wholeResponse)] });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok", is_error: false });
  const messages = [
    ...REQUEST.messages,
    { role: "assistant", content: blocksOf(events) },
    { role: "user", content: [result("toolu_1"), result("toolu_2")] },
  ] as const;
  const { server, error } = await ask(
    { pieces: [sse([messageStart, ...textBlock(0, "ok"), ...messageEnd("end_turn")])] },
    { ...REQUEST, messages },
  );
  expect(error).toBeUndefined();
  const sent = server.requests[0]?.body["messages"] as { content: object[] }[];
  expect(sent[1]?.content).toEqual(BLOCKS);
  expect(server.requests[0]?.text.isWellFormed()).toBe(true);
});

test("a history that the API would reject is rejected by the test server, with the reason", async () => {
  const messages = [
    ...REQUEST.messages,
    { role: "assistant", content: [BLOCKS[2] as { type: string }] },
  ] as const;
  const { error } = await ask({ pieces: [] }, { ...REQUEST, messages });
  expect(error).toMatchObject({
    kind: "bad-request",
    message: expect.stringContaining(
      "Server message: call toolu_1 has no result in the next message",
    ) as string,
  });
});

test("the prefix of a request stays the same from turn to turn, apart from cache marks", async () => {
  const tools = ["Read", "Edit"].map((name) => ({
    name,
    description: name,
    input_schema: { type: "object" },
  }));
  const answer = { pieces: [sse([messageStart, ...textBlock(0, "ok"), ...messageEnd("end_turn")])] };
  const first = await ask(answer, { ...REQUEST, tools });
  const longer = [
    ...REQUEST.messages,
    { role: "assistant", content: "ok" },
    { role: "user", content: "more" },
  ] as const;
  const second = await ask(answer, { ...REQUEST, tools, messages: longer });
  const [one, two] = [first, second].map(
    ({ server }) => server.requests[0]?.body as Record<string, object[]>,
  );
  expect(JSON.stringify([two?.["system"], two?.["tools"]])).toBe(
    JSON.stringify([one?.["system"], one?.["tools"]]),
  );
  const unmarked = (messages: unknown): string =>
    JSON.stringify(messages).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
  expect(unmarked(two?.["messages"]).startsWith(unmarked(one?.["messages"]).slice(0, -1))).toBe(true);
  expect(JSON.stringify(two).match(/cache_control/g)).toHaveLength(4);
});

test("a second copy of the same response is ignored (A14)", async () => {
  const half = [messageStart, ...callBlock(0, "toolu_1", "{}"), ...thinkingBlock(1, "x", "y")];
  const { events } = await ask({ pieces: [sse([...half, ...half, ...messageEnd("tool_use")])] });
  expect(events.filter(({ type }) => type === "call-complete")).toHaveLength(1);
});
