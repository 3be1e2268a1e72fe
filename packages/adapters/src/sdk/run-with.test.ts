import Anthropic from "@anthropic-ai/sdk";
import { type EngineEvent, type ToolResult, defineTool } from "@runahead/engine";
import OpenAI from "openai";
import { afterEach, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type ModelServer,
  type ScriptedAnswer,
  modelServer,
  sse,
} from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock, thinkingBlock } from "../../../agent/test/support/responses.ts";
import { moment, steppedServer } from "../../../agent/test/support/stepped-server.ts";
import { type Wire, chatWire, messagesWire, responsesWire } from "../../../agent/test/support/wires.ts";
import { type RunWithOptions, type Running, runWith } from "./run-with.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function serving(...answers: readonly ScriptedAnswer[]): Promise<ModelServer> {
  const server = await modelServer(...answers);
  open.push(server);
  return server;
}

const read = defineTool({
  name: "Read",
  description: "Reads a file.",
  inputSchema: z.object({ file_path: z.string() }),
  isReadOnly: () => true,
  call: async ({ file_path }) => `what is in ${file_path}`,
});

const claude = (url: string) => new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
const gpt = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });

/** The three APIs: the same conversation through each SDK. */
const APIS = {
  messages: {
    wire: messagesWire,
    run: (url: string, options: RunWithOptions): Running<unknown, unknown> =>
      runWith(
        claude(url),
        { model: "claude-test", max_tokens: 100, messages: [{ role: "user", content: "go" }] },
        [read],
        options,
      ),
  },
  chat: {
    wire: chatWire,
    run: (url: string, options: RunWithOptions): Running<unknown, unknown> =>
      runWith(gpt(url), { model: "gpt-test", messages: [{ role: "user", content: "go" }] }, [read], options),
  },
  responses: {
    wire: responsesWire,
    run: (url: string, options: RunWithOptions): Running<unknown, unknown> =>
      runWith(gpt(url), { model: "gpt-test", input: "go" }, [read], options),
  },
} as const;

type Api = keyof typeof APIS;
const apis = Object.keys(APIS) as Api[];

interface Conversation {
  readonly answers: readonly ScriptedAnswer[];
  readonly options?: RunWithOptions;
}

async function conversation(api: Api, { answers, options = {} }: Conversation) {
  const server = await serving(...answers);
  const running = APIS[api].run(server.url, options);
  const events: { type?: string }[] = [];
  for await (const event of running) events.push(event as { type?: string });
  return { server, events, result: await running.result() };
}

const whole = (wire: Wire, text: string, ...calls: string[]): ScriptedAnswer => ({
  pieces: [wire({ text, calls }).whole],
});

const SAID = {
  messages: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "a", name: "Read", input: { file_path: "a" } },
        { type: "tool_use", id: "b", name: "Read", input: { file_path: "b" } },
      ],
    },
    {
      role: "user",
      content: ["a", "b"].map((id) => ({
        type: "tool_result",
        tool_use_id: id,
        content: `what is in ${id}`,
        is_error: false,
      })),
    },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
  ],
  chat: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: "Let me see.",
      tool_calls: ["a", "b"].map((id) => ({
        id,
        type: "function",
        function: { name: "Read", arguments: JSON.stringify({ file_path: id }) },
      })),
    },
    ...["a", "b"].map((id) => ({ role: "tool", tool_call_id: id, content: `what is in ${id}` })),
    { role: "assistant", content: "Done." },
  ],
  responses: [
    { role: "user", content: "go" },
    expect.objectContaining({ type: "message", role: "assistant" }),
    ...["a", "b"].map((id) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name: "Read",
      status: "completed",
      arguments: JSON.stringify({ file_path: id }),
    })),
    ...["a", "b"].map((id) => ({
      type: "function_call_output",
      call_id: id,
      output: `what is in ${id}`,
    })),
    expect.objectContaining({ type: "message", role: "assistant" }),
  ],
} as const;

const STOPS = { messages: "end_turn", chat: "stop", responses: "completed" } as const;

test.each(apis)(
  "%s: calls run until there are no more, and the messages are in the format of the API",
  async (api) => {
    const { wire } = APIS[api];
    const { server, events, result } = await conversation(api, {
      answers: [whole(wire, "Let me see.", "a", "b"), whole(wire, "Done.")],
    });
    expect(result).toEqual({
      messages: SAID[api],
      reason: "completed",
      detail: "",
      stop: STOPS[api],
      turns: 2,
    });
    expect(server.requests.map(({ body }) => [body["stream"], (body["tools"] as unknown[]).length])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    const sent =
      wire({ text: "Let me see.", calls: ["a", "b"] }).whole + wire({ text: "Done.", calls: [] }).whole;
    const raw = [...sent.matchAll(/^data: (\{.*)$/gm)].map(
      (match) => JSON.parse(match[1] as string) as object,
    );
    expect(events).toEqual(raw);
  },
);

test("a call runs while the response is still streaming", async () => {
  const started = moment();
  const server = await steppedServer(
    async function* () {
      yield messagesWire({ text: "Let me see.", calls: ["a"] }).withoutEnd;
      await started.reached;
      yield sse(messageEnd("tool_use"));
    },
    () => [messagesWire({ text: "Done.", calls: [] }).whole],
  );
  open.push(server);
  const early = { ...read, call: () => started.reach() };
  const params = {
    model: "claude-test",
    max_tokens: 9,
    messages: [{ role: "user" as const, content: "go" }],
  };
  expect((await runWith(claude(server.url), params, [early]).result()).reason).toBe("completed");
});

test.each(apis)(
  "A06: %s: a response that breaks off after a complete call is not requested again",
  async (api) => {
    const { wire } = APIS[api];
    const cut = wire({ text: "Let me see.", calls: ["a", "b"] }).withoutEnd;
    const { server, result } = await conversation(api, {
      answers: [{ pieces: [cut], after: "break" }, whole(wire, "Done.")],
    });
    expect([result.reason, result.turns, server.requests.length]).toEqual(["completed", 2, 2]);
    expect(result.messages).toEqual(SAID[api]);
  },
);

test.each(apis)("%s: a response that breaks off before any call throws the SDK's error", async (api) => {
  const cut = APIS[api].wire({ text: "Let me see.", calls: [] }).withoutEnd;
  await expect(conversation(api, { answers: [{ pieces: [cut], after: "break" }] })).rejects.toThrow(
    "terminated",
  );
  await expect(conversation(api, { answers: [{ pieces: [cut] }] })).rejects.toThrow(
    "The response failed: the connection was cut.",
  );
  await expect(
    conversation(api, { answers: [{ status: 401, pieces: ['{"error":{"message":"who?"}}'] }] }),
  ).rejects.toThrow("401");
});

test.each(apis)("%s: maxTurns ends the run, and every call has its result", async (api) => {
  const { wire } = APIS[api];
  const { result } = await conversation(api, {
    answers: [whole(wire, "x", "a"), whole(wire, "x", "b")],
    options: { maxTurns: 1 },
  });
  expect([result.reason, result.turns]).toEqual(["max_turns", 1]);
  expect(JSON.stringify(result.messages)).toContain("what is in a");
});

test.each(apis)("%s: permissions apply, and the model reads the denial", async (api) => {
  const { wire } = APIS[api];
  const { result } = await conversation(api, {
    answers: [whole(wire, "x", "a"), whole(wire, "Done.")],
    options: { canUseTool: () => ({ behavior: "deny", reason: "Not today." }) },
  });
  expect(JSON.stringify(result.messages)).toContain("Not run: denied by permissions. Not today.");
});

test("an abort stops the calls, and their results are in the messages", async () => {
  const controller = new AbortController();
  const slow = defineTool({
    ...read,
    call: (_input, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        setTimeout(() => controller.abort(), 10);
      }),
  });
  const server = await serving({
    pieces: [messagesWire({ text: "x", calls: ["a"] }).withoutEnd],
    after: "hang",
  });
  const result = await runWith(
    claude(server.url),
    { model: "claude-test", max_tokens: 9, messages: [{ role: "user", content: "go" }] },
    [slow],
    { signal: controller.signal },
  ).result();
  const { content } = result.messages.at(-1) as { content: ToolResult[] };
  expect([result.reason, content.length, content[0]?.is_error]).toEqual(["aborted_tools", 1, true]);
  expect(content[0]?.content).toMatch(/^Stopped after .*It may have had effects\./);
});

test("if the caller stops reading, the messages so far are available and nothing keeps running", async () => {
  const ended: string[] = [];
  const onEvent = (event: EngineEvent) => event.type === "call-settled" && ended.push(event.outcome.type);
  const server = await serving({
    pieces: [messagesWire({ text: "x", calls: ["a"] }).withoutEnd],
    after: "hang",
  });
  const endless = defineTool({
    ...read,
    call: (_input, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      }),
  });
  const running = runWith(
    claude(server.url),
    { model: "claude-test", max_tokens: 9, messages: [{ role: "user", content: "go" }] },
    [endless],
    { onEvent },
  );
  for await (const event of running) if (event.type === "content_block_stop" && event.index === 1) break;
  const { reason, messages } = await running.result();
  expect([reason, messages.length, ended]).toEqual(["left", 3, ["aborted"]]);
});

test("Responses: after a cut, reasoning is kept only with its following item, and a call that ran is not lost", async () => {
  const reasoning = (id: string) => ({ type: "reasoning", id, summary: [], encrypted_content: "c2VhbGVk" });
  const done = (output_index: number, item: object) => ({
    type: "response.output_item.done",
    output_index,
    item,
  });
  const begun = {
    type: "function_call",
    id: "fc_1",
    call_id: "a",
    name: "Read",
    arguments: "",
    status: "in_progress",
  };
  const input = JSON.stringify({ file_path: "a" });
  const place = { output_index: 1, item_id: "fc_1" };
  const server = await serving(
    {
      pieces: [
        sse([
          { type: "response.created", response: { id: "resp_1", output: [] } },
          done(0, reasoning("rs_1")),
          { type: "response.output_item.added", output_index: 1, item: begun },
          { type: "response.function_call_arguments.delta", ...place, delta: input },
          { type: "response.function_call_arguments.done", ...place, arguments: input },
        ]),
      ],
      after: "break",
    },
    {
      pieces: [responsesWire({ text: "x", calls: ["b"] }).withoutEnd, sse([done(2, reasoning("rs_2"))])],
      after: "break",
    },
    whole(responsesWire, "Done."),
  );
  const running = runWith(gpt(server.url), { model: "gpt-test", input: "go" }, [read]);
  expect((await running.result()).reason).toBe("completed");
  const sent = server.requests[2]?.body["input"] as { type: string }[];
  expect(sent.slice(4).map(({ type }) => type)).toEqual(["message", "function_call", "function_call_output"]);
  expect(server.requests[1]?.body["input"]).toEqual([
    { role: "user", content: "go" },
    reasoning("rs_1"),
    { type: "function_call", call_id: "a", name: "Read", arguments: input },
    { type: "function_call_output", call_id: "a", output: "what is in a" },
  ]);
});

test("blocks that must be unchanged are sent back byte for byte, a pause is continued, and a refusal ends the run", async () => {
  const signed = thinkingBlock(0, "Hm …", "c2lnbmVk");
  const server = await serving(
    { pieces: [sse([messageStart, ...signed, ...textBlock(1, "Wait."), ...messageEnd("pause_turn")])] },
    { pieces: [sse([messageStart, ...textBlock(0, "Sum."), ...messageEnd("compaction")])] },
    { pieces: [sse([messageStart, ...textBlock(0, "No."), ...messageEnd("refusal")])] },
  );
  const params = {
    model: "claude-test",
    max_tokens: 9,
    messages: [{ role: "user" as const, content: "go" }],
  };
  const result = await runWith(claude(server.url), params, [read]).result();
  expect([result.reason, result.stop, result.turns]).toEqual(["completed", "refusal", 3]);
  expect(result.messages[1]).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm …", signature: "c2lnbmVk" },
      { type: "text", text: "Wait." },
    ],
  });
});

const lines = (events: readonly object[]): ScriptedAnswer => ({
  pieces: [events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n"],
});
const delta = (given: object, finish_reason: string | null = null) => ({
  id: "c",
  choices: [{ index: 0, delta: given, finish_reason }],
});
const READ = { name: "Read", arguments: '{"file_path":"a"}' };

test("chat: reasoning, parts and members of calls that only the server knows go back to it", async () => {
  const signed = { extra_content: { google: { thought_signature: "SIG" } } };
  const thinking = { type: "thinking", thinking: [{ type: "text", text: "Hm" }] };
  for (const [given, sent] of [
    [{ reasoning_content: "Hm" }, { content: null, reasoning_content: "Hm" }],
    [{ content: [thinking] }, { content: [thinking] }],
    [{ content: [{ type: "text", text: "Look." }] }, { content: "Look." }],
  ] as const) {
    const call = { index: 0, id: "a", type: "function", function: READ, ...signed };
    const server = await serving(
      lines([delta(given), delta({ tool_calls: [call] }), delta({}, "tool_calls")]),
      lines([delta({ content: "Done." }, "stop")]),
    );
    const { messages } = await APIS.chat.run(server.url, {}).result();
    expect((messages as object[])[1]).toEqual({
      role: "assistant",
      ...sent,
      tool_calls: [{ id: "a", type: "function", function: READ, ...signed }],
    });
    expect(server.requests[1]?.body["messages"]).toEqual((messages as object[]).slice(0, 3));
  }
});

test("responses: items without an index are in their order, and one that comes only with the response counts", async () => {
  const item = (type: string, given: object) => ({ type: `response.output_item.${type}`, item: given });
  const message = (id: string, text: string) => ({
    type: "message",
    id,
    role: "assistant",
    content: [{ type: "output_text", text }],
  });
  const call = { type: "function_call", id: "fc", call_id: "a", name: "Read", arguments: READ.arguments };
  const [first, last] = [message("m1", "One."), message("m2", "Two.")];
  const response = { id: "r", status: "completed", output: [first, call, last] };
  const server = await serving(
    lines([
      { type: "response.created", response: { id: "r" } },
      item("added", { ...first, content: [] }),
      item("done", first),
      item("added", { ...call, arguments: "" }),
      item("done", call),
      { type: "response.completed", response },
    ]),
    lines([{ type: "response.completed", response: { id: "s", status: "completed", output: [] } }]),
  );
  const { messages, stop } = await APIS.responses.run(server.url, {}).result();
  expect((messages as object[]).slice(1, 4)).toEqual([first, call, last]);
  expect(stop).toBe("completed");
});

test("the user can stop the run, and server tools are sent next to ours", async () => {
  const server = await serving(whole(messagesWire, "x", "a"));
  const search = { type: "web_search_20250305" as const, name: "web_search" as const };
  const result = await runWith(
    claude(server.url),
    { model: "claude-test", max_tokens: 9, messages: [{ role: "user", content: "go" }], tools: [search] },
    [read],
    { canUseTool: () => ({ behavior: "ask" }), ask: () => ({ behavior: "deny" }) },
  ).result();
  expect([result.reason, result.detail]).toEqual(["hook_stopped", "the user ended the turn"]);
  const tools = server.requests[0]?.body["tools"] as { name: string }[];
  expect(tools.map(({ name }) => name)).toEqual(["web_search", "Read"]);
});

test("events and messages have the SDK's own types", () => {
  const params = { model: "claude-test", max_tokens: 9, messages: [] };
  const messages = runWith(claude("http://127.0.0.1:1"), params, [read]);
  expectTypeOf(messages).toEqualTypeOf<Running<Anthropic.RawMessageStreamEvent, Anthropic.MessageParam[]>>();
  const chat = runWith(gpt("http://127.0.0.1:1"), { model: "gpt-test", messages: [] }, [read]);
  expectTypeOf(chat).toEqualTypeOf<
    Running<OpenAI.ChatCompletionChunk, OpenAI.ChatCompletionMessageParam[]>
  >();
  const responses = runWith(gpt("http://127.0.0.1:1"), { model: "gpt-test", input: "go" }, [read]);
  expectTypeOf(responses).toEqualTypeOf<
    Running<OpenAI.Responses.ResponseStreamEvent, OpenAI.Responses.ResponseInput>
  >();
});

test("invalid arguments throw at once", () => {
  const client = gpt("http://127.0.0.1:1");
  const params = { model: "gpt-test", messages: [] };
  expect(() => runWith(client, params, [read], { maxTurns: 0 })).toThrow("maxTurns must be a whole number");
  expect(() => runWith(client, params, [read], { maxTurn: 3 } as object)).toThrow(
    'runWith: unknown option "maxTurn". Did you mean "maxTurns"?',
  );
  expect(() => runWith(client, params, { read } as never)).toThrow("tools");
  expect(() => runWith(client, params, [read, read])).toThrow('Two tools are called "Read".');
  expect(() => runWith(client, { ...params, n: 2 }, [read])).toThrow(
    "runWith supports only one choice. Remove n from the parameters.",
  );
  expect(() => runWith(client, { input: "go", conversation: "conv_1" }, [read])).toThrow(
    "runWith keeps the history itself and does not support conversation. Remove it from the parameters.",
  );
  for (const none of [{}, undefined])
    expect(() => runWith(none as Anthropic, { ...params, max_tokens: 1 }, [read])).toThrow(
      "runWith: the first argument must be a client of the Anthropic SDK or the OpenAI SDK.",
    );
});
