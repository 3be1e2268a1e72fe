import { afterEach, expect, test } from "vitest";
import { openai } from "../../src/model/openai.ts";
import { type ModelServer, modelServer } from "../support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock, thinkingBlock } from "../support/responses.ts";
import {
  type Heard,
  WIRES,
  type Wire,
  blocksOf,
  bytesOf,
  callsOf,
  collect,
  expectSound,
  hear,
  lines,
  textOf,
} from "./support.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const [MESSAGES, CHAT, RESPONSES] = WIRES as readonly [Wire, Wire, Wire];
const say = (wire: Wire, ...events: readonly (object | string)[]): Promise<Heard> =>
  hear(wire, [bytesOf(events.map(lines).join(""))]);
const chunk = (delta: object, finish: string | null = null): object => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const chatCall = (index: number, id: string, name: string, text: string): object =>
  chunk({ tool_calls: [{ index, id, function: { name, arguments: text } }] });
const responsesCall = (output_index: number, call_id: string, name: string, text: string): object[] => [
  {
    type: "response.output_item.added",
    output_index,
    item: { type: "function_call", call_id, name, arguments: "" },
  },
  { type: "response.function_call_arguments.done", output_index, arguments: text },
];
const completed = { type: "response.completed", response: {} };

test("A12: an HTML page or an empty body instead of a stream is reported as such and not retried", async () => {
  for (const api of ["chat", "responses"] as const) {
    for (const [type, pieces, said] of [
      ["text/html", ["<html>Log in</html>"], 'with text/html instead of an event stream: "<html>Log in'],
      ["application/json", [], "with application/json instead of an event stream: an empty body"],
    ] as const) {
      const server = await modelServer({ headers: { "content-type": type }, pieces });
      servers.push(server);
      const model = openai({ model: "m", apiKey: "key", baseURL: server.url, api });
      const request = { system: "", tools: [], messages: [], maxTokens: 9 };
      const { error } = await collect(model.stream(request, new AbortController().signal));
      expect(error).toMatchObject({ kind: "protocol", isRetryable: false });
      expect((error as Error).message).toContain(said);
    }
  }
});

/** Usage can be reported again: its counts are cumulative. */
const uncounted = ({ events, error }: Heard) => ({
  events: events.filter(({ type }) => type !== "usage"),
  error,
});

test("A14: a response that arrives twice is read once", async () => {
  for (const wire of WIRES) {
    const once = textOf(wire.recording);
    const whole = uncounted(await hear(wire, [bytesOf(once)]));
    const open = once.replace("data: [DONE]\n\n", "");
    for (const twice of [once + once, open + once])
      expect(uncounted(await hear(wire, [bytesOf(twice)]))).toEqual(whole);
  }
});

test("A14: a response that is sent again from its middle is cut off where the copy begins", async () => {
  const half = [messageStart, ...textBlock(0, "So."), ...callBlock(1, "toolu_1", "{}")];
  const heard = await say(
    MESSAGES,
    ...half,
    ...half,
    ...callBlock(2, "toolu_2", "{}"),
    ...messageEnd("tool_use"),
  );
  expect(blocksOf(heard).map(({ type, id }) => [type, id])).toEqual([
    ["text", undefined],
    ["tool_use", "toolu_1"],
  ]);
  expect(heard.error).toMatchObject({ kind: "cut", isRetryable: true });
  expect(heard.events.filter(({ type }) => type === "text")).toHaveLength(1);
  expectSound(heard);
});

test("A15: interleaved blocks are assembled by index and delivered in order", async () => {
  const [text, call, later] = [
    textBlock(0, "a", "b"),
    callBlock(1, "toolu_1", '{"n":', "1}"),
    callBlock(2, "toolu_2", "{}"),
  ];
  const turn = [
    call[0],
    text[0],
    later[0],
    call[1],
    text[1],
    later[1],
    call[2],
    later[2],
    text[2],
    call[3],
    text[3],
  ];
  const heard = await say(MESSAGES, messageStart, ...(turn as object[]), ...messageEnd("tool_use"));
  expect(heard.error).toBeUndefined();
  expect(blocksOf(heard)).toEqual([
    { type: "text", text: "ab" },
    { type: "tool_use", id: "toolu_1", name: "Read", input: { n: 1 } },
    { type: "tool_use", id: "toolu_2", name: "Read", input: {} },
  ]);
  expectSound(heard);
});

test("A15, V2: if such a response is cut off, the block of a complete call is kept", async () => {
  const open = textBlock(0, "a").slice(0, 2);
  const heard = await say(MESSAGES, messageStart, ...open, ...callBlock(1, "toolu_1", '{"n":1}'));
  expect(callsOf(heard).map(({ id }) => id)).toEqual(["toolu_1"]);
  expect(blocksOf(heard)).toEqual([{ type: "tool_use", id: "toolu_1", name: "Read", input: { n: 1 } }]);
  expect(heard.error).toMatchObject({ kind: "cut" });
});

test("A15: a protocol error is a clean failure, and complete blocks before it are kept", async () => {
  const delta = { type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "x" } };
  const other = { type: "message_start", message: { id: "msg_2" } };
  const before = [messageStart, ...callBlock(0, "toolu_1", "{}"), ...textBlock(1, "So.")];
  for (const [wire, events, message] of [
    [MESSAGES, [...before, delta], "protocol error: a delta for content block 7, which is not open"],
    [MESSAGES, [...before, ...textBlock(1, "x")], "protocol error: content block 1 began twice"],
    [MESSAGES, [...before, other], "protocol error: a second message began"],
    [
      CHAT,
      [chatCall(0, "a", "Read", "{}"), chunk({ tool_calls: [{ index: 1, function: { arguments: "x" } }] })],
      "protocol error: arguments arrived for a call that has not begun",
    ],
    [
      RESPONSES,
      [
        ...responsesCall(0, "a", "Read", "{}"),
        { type: "response.function_call_arguments.delta", output_index: 7, delta: "{}" },
      ],
      "protocol error: arguments came for output item 7, which is not a call that has begun",
    ],
  ] as const) {
    const heard = await say(wire, ...events, ...messageEnd("tool_use"));
    expect(heard.error).toMatchObject({ kind: "protocol", message, isRetryable: false });
    expect(callsOf(heard)).toHaveLength(1);
    expectSound(heard);
  }
});

test("an input that is nested too deeply to be serialised does not get into the history", async () => {
  const deep: unknown = JSON.parse(`${'{"a":['.repeat(5_000)}1${"]}".repeat(5_000)}`);
  const block = (index: number, content_block: object): object[] => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_stop", index },
  ];
  const sent = [
    messageStart,
    ...block(0, { type: "text", text: "So", citations: [deep] }),
    ...block(1, { type: "redacted_thinking", data: "x", deep }),
    ...block(2, { type: "server_tool_use", id: "s", name: "search", input: deep }),
    ...block(3, { type: "tool_use", id: "toolu_1", name: "Read", input: { deep } }),
    { type: "message_delta", delta: { stop_reason: "refusal", stop_details: deep } },
  ];
  const heard = await collect(MESSAGES.read(eventsOf(sent.map(deepLines))));
  expect(blocksOf(heard)).toEqual([
    {
      type: "tool_use",
      id: "toolu_1",
      name: "Read",
      input: { INVALID_JSON: "nested too deeply to be kept" },
    },
  ]);
  expect(heard.events.at(-1)).toEqual({ type: "stopped", reason: "refusal", detail: "" });
  const item = { type: "response.output_item.done", output_index: 0, item: { type: "reasoning", deep } };
  const events = [item, completed].map(deepLines);
  const sealed = await collect(RESPONSES.read(eventsOf(events)));
  expect([blocksOf(sealed), sealed.error]).toEqual([[], undefined]);
});

/** `JSON.stringify` cannot write it either. */
function deepLines(event: object): string {
  const text = JSON.stringify(event, (_name, value: unknown) => (isDeep(value) ? "@deep@" : value));
  return text.replaceAll('"@deep@"', `${'{"a":['.repeat(5_000)}1${"]}".repeat(5_000)}`);
}

function isDeep(value: unknown): boolean {
  return typeof value === "object" && value !== null && "a" in value;
}

async function* eventsOf(texts: readonly string[]) {
  for (const data of texts) yield [{ event: undefined, data }];
}

test("A15: an event that is not an object is a clean failure", async () => {
  for (const wire of WIRES) {
    for (const data of ["null", "5", "[]", '"x"', "{"]) {
      const { error } = await say(wire, `data: ${data}\n\n`);
      expect(error).toMatchObject({
        kind: "protocol",
        message: `The server sent an event that is not a JSON object: ${data}`,
      });
    }
  }
});

test("A18: usage that is missing, smaller or not a number never decreases the count", async () => {
  const usages = [
    { output_tokens: 5 },
    { output_tokens: 2 },
    { output_tokens: "9" },
    { output_tokens: -1 },
    null,
    [],
    "x",
  ];
  const counted = ({ events }: Heard) =>
    events.flatMap((event) => (event.type === "usage" ? [event.usage.outputTokens] : []));
  const deltas = usages.map((usage) => ({ type: "message_delta", delta: {}, usage }));
  expect(counted(await say(MESSAGES, messageStart, ...deltas))).toEqual([1, 5, 5, 5, 5, 5, 5, 5]);
  const chunks = usages.map((usage) => ({ choices: [], usage }));
  expect(new Set(counted(await say(CHAT, ...chunks, chunk({ content: "x" }, "stop"))))).toEqual(new Set([5]));
});

test("B03: a call without input has an empty object as input", async () => {
  const heard = await Promise.all([
    say(MESSAGES, messageStart, ...callBlock(0, "a", ""), ...callBlock(1, "b"), ...messageEnd("tool_use")),
    say(CHAT, chatCall(0, "a", "Read", ""), chatCall(1, "b", "Read", ""), chunk({}, "tool_calls")),
    say(RESPONSES, ...responsesCall(0, "a", "Read", ""), ...responsesCall(1, "b", "Read", ""), completed),
  ]);
  for (const each of heard) {
    expect(callsOf(each)).toEqual(["a", "b"].map((id) => ({ id, name: "Read", input: {} })));
    expect(blocksOf(each)).toEqual(
      ["a", "b"].map((id) => ({ type: "tool_use", id, name: "Read", input: {} })),
    );
  }
});

test("B05: of two calls with the same id, the first counts", async () => {
  const heard = await Promise.all([
    say(
      MESSAGES,
      messageStart,
      ...callBlock(0, "a", '{"n":1}'),
      ...callBlock(1, "a", '{"n":2}'),
      ...textBlock(2, "."),
      ...messageEnd("tool_use"),
    ),
    say(
      RESPONSES,
      ...responsesCall(0, "a", "Read", '{"n":1}'),
      ...responsesCall(1, "a", "Read", '{"n":2}'),
      completed,
    ),
  ]);
  for (const each of heard) {
    expect(callsOf(each)).toEqual([{ id: "a", name: "Read", input: { n: 1 } }]);
    expectSound(each);
  }
  expect(blocksOf(heard[0]).map(({ type }) => type)).toEqual(["tool_use", "text"]);
});

test("B12: a full context window is reported as such, on each wire", async () => {
  const full = await say(
    MESSAGES,
    messageStart,
    ...textBlock(0, "So"),
    ...messageEnd("model_context_window_exceeded"),
  );
  expect(full.events.at(-1)).toEqual({
    type: "stopped",
    reason: "model_context_window_exceeded",
    detail: "",
  });
  const message = "Your input exceeds the context window of this model.";
  const failed = {
    type: "response.failed",
    response: { error: { code: "context_length_exceeded", message } },
  };
  const inChat = { error: { type: "invalid_request_error", code: "context_length_exceeded", message } };
  for (const heard of [await say(RESPONSES, failed), await say(CHAT, inChat)]) {
    expect(heard.error).toMatchObject({ kind: "context-overflow", isRetryable: false });
    expect((heard.error as Error).message).toContain(message);
  }
});

test("B14: unpaired surrogates get into no block except thinking; a pair that arrives in two pieces is complete", async () => {
  const half = "\ud800";
  const messages = await say(
    MESSAGES,
    messageStart,
    ...thinkingBlock(0, `t${half}`, "c2ln"),
    ...textBlock(1, "a\ud83d", `\ude00${half}`),
    ...callBlock(2, `x${half}`, '{"n\\ud800":"\\ud83d', '\\ude00\\udc00"}'),
    ...messageEnd("tool_use"),
  );
  expect(blocksOf(messages)).toEqual([
    { type: "thinking", thinking: `t${half}`, signature: "c2ln" },
    { type: "text", text: "a😀\ufffd" },
    { type: "tool_use", id: "x\ufffd", name: "Read", input: { "n\ufffd": "😀\ufffd" } },
  ]);
  expect(callsOf(messages)).toEqual([{ id: "x\ufffd", name: "Read", input: { "n\ufffd": "😀\ufffd" } }]);
  const chat = await say(
    CHAT,
    chunk({ content: "a\ud83d" }),
    chunk({ content: `\ude00${half}` }),
    chatCall(0, `x${half}`, `R${half}`, '{"n":"\\ud800"}'),
    chunk({}, "tool_calls"),
  );
  expect(blocksOf(chat)).toEqual([
    { type: "text", text: "a😀\ufffd" },
    { type: "tool_use", id: "x\ufffd", name: "R_", input: { n: "\ufffd" } },
  ]);
  for (const heard of [messages, chat]) expectSound(heard);
});

test("after the end of the response, the agent does not wait for the server to close the connection", async () => {
  for (const wire of WIRES) {
    const server = await modelServer({ pieces: [textOf(wire.recording)], after: "hang" });
    servers.push(server);
    const response = await fetch(server.url, { method: "POST", body: "{}" });
    const whole = await hear(wire, [bytesOf(textOf(wire.recording))]);
    expect(await hear(wire, response.body as ReadableStream<Uint8Array>)).toEqual(whole);
  }
});
