/** Responses as servers of each kind send them, read by our readers and compared with the official SDKs. */

import { expect, test } from "vitest";
import {
  DONE,
  agreed,
  assistant,
  begun,
  block,
  call,
  chunk,
  completed,
  created,
  finish,
  item,
  items,
  lines,
  message,
  part,
  read,
  role,
  said,
  start,
  stop,
  usage,
} from "./events.ts";
import { nextRequest, replay } from "./replay.ts";

test("class reasoning: each name of the member goes back as it came, and only to the same model", async () => {
  for (const name of ["reasoning_content", "reasoning", "reasoning_text", "thinking"]) {
    const heard = await read(
      "chat",
      lines([
        role,
        chunk({ [name]: "Hm" }),
        chunk({ [name]: "m." }),
        chunk({ content: "Yes" }),
        finish("stop"),
      ]),
    );
    expect([heard.thinking, heard.text]).toEqual(["Hmm.", "Yes"]);
    expect(assistant("chat", heard)).toEqual({ role: "assistant", content: "Yes", [name]: "Hmm." });
  }
  const foreign = { type: "openai_chat_reasoning", model: "other", message: { reasoning: "Hm" } };
  const other = { ...(await read("chat", lines([chunk({ content: "Yes" }), finish("stop")]))) };
  expect(assistant("chat", { ...other, blocks: [foreign, ...other.blocks] })).toEqual({
    role: "assistant",
    content: "Yes",
  });
  expect(assistant("anthropic", { ...other, blocks: [foreign, ...other.blocks] })).toMatchObject({
    content: [{ type: "text", text: "Yes" }],
  });
});

test("class reasoning: a server that sends the same text under two names is shown once", async () => {
  const heard = await read(
    "chat",
    lines([chunk({ reasoning: "Hm", reasoning_content: "Hm" }), chunk({ content: "Yes" }), finish("stop")]),
  );
  expect(heard.thinking).toBe("Hm");
  expect(assistant("chat", heard)).toMatchObject({ reasoning: "Hm", reasoning_content: "Hm" });
});

test("class reasoning: details are joined by their index, and sealed ones stay whole", async () => {
  const detail = (more: object) =>
    chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, ...more }] });
  const sealed = { type: "reasoning.encrypted", index: 1, data: "abc", id: "rs_1" };
  const heard = await read(
    "chat",
    lines([
      detail({ text: "Let ", signature: null }),
      detail({ text: "me." }),
      detail({ signature: "sig" }),
      chunk({ reasoning_details: [sealed] }),
      chunk({ tool_calls: [call("a", "Read", "{}")] }),
      finish("tool_calls"),
    ]),
  );
  expect(heard.thinking).toBe("Let me.");
  expect(assistant("chat", heard)).toMatchObject({
    reasoning_details: [{ type: "reasoning.text", index: 0, text: "Let me.", signature: "sig" }, sealed],
  });
});

test("class content: a list of parts is text and thinking, and goes back as a list", async () => {
  const thought = (text: string) =>
    chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] });
  const heard = await agreed("chat", [
    role,
    thought("One "),
    thought("two."),
    chunk({ content: [{ type: "text", text: "Th" }] }),
    chunk({ content: "ree" }),
    finish("stop"),
    usage({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }),
  ]);
  expect(heard.text).toBe("Three");
  expect(assistant("chat", heard)).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: [{ type: "text", text: "One two." }] },
      { type: "text", text: "Three" },
    ],
  });
});

test("class content: reasoning as a part of the content, and a count of cached tokens beside the others", async () => {
  const thought = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };
  const heard = await read(
    "chat",
    lines([
      chunk({ content: [thought] }),
      chunk({ content: [{ type: "text", text: "Yes" }] }),
      finish("stop"),
      usage({ prompt_tokens: 10, cached_tokens: 6, completion_tokens: 1 }),
    ]),
  );
  expect(heard).toMatchObject({
    thinking: "Hm.",
    text: "Yes",
    usage: { inputTokens: 4, cacheReadTokens: 6 },
  });
  expect(assistant("chat", heard)).toMatchObject({ content: [thought, { type: "text", text: "Yes" }] });
});

test("class limits: a message that was cut off goes back as it came", async () => {
  const cut = { ...message("m", "Half"), status: "incomplete" };
  const heard = await read(
    "responses",
    lines([
      created,
      item("added", 0, begun(cut)),
      said(0, "Half"),
      {
        type: "response.incomplete",
        response: { id: "r", output: [cut], incomplete_details: { reason: "max_output_tokens" } },
      },
    ]),
  );
  expect(heard).toMatchObject({ text: "Half", stop: "max_tokens" });
  expect(items(heard)).toEqual([cut]);
});

test("class choices: of several only the first counts, wherever it stands in a chunk", async () => {
  const both = (one: string, other: string) => ({
    ...chunk({}),
    choices: [
      { index: 1, delta: { role: "assistant", content: other }, finish_reason: null },
      { index: 0, delta: { role: "assistant", content: one }, finish_reason: null },
    ],
  });
  const second = { ...chunk({}), choices: [{ index: 1, delta: {}, finish_reason: "stop" }] };
  const heard = await agreed("chat", [
    both("a", "x"),
    second,
    both("b", "y"),
    finish("stop"),
    usage({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }),
  ]);
  expect(heard.text).toBe("ab");
});

test("class cache: cached input is counted apart, under each server's name for it", async () => {
  const counted = async (counts: object) =>
    (await agreed("chat", [role, chunk({ content: "a" }), finish("stop"), usage(counts)], DONE)).usage;
  const base = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 };
  expect(await counted({ ...base, prompt_tokens_details: { cached_tokens: 60 } })).toMatchObject({
    inputTokens: 40,
    cacheReadTokens: 60,
  });
  expect(await counted({ ...base, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 })).toMatchObject(
    {
      inputTokens: 36,
      cacheReadTokens: 64,
    },
  );
  const written = { cached_tokens: 10, cache_write_tokens: 20 };
  expect(await counted({ ...base, prompt_tokens_details: written })).toMatchObject({
    inputTokens: 70,
    cacheReadTokens: 10,
    cacheWriteTokens: 20,
  });
});

test("class usage: counts beside the choice or under a server's own name are found", async () => {
  const counts = { prompt_tokens: 7, completion_tokens: 2 };
  for (const last of [
    chunk({}, { finish_reason: "stop", usage: counts }),
    { ...finish("stop"), x_groq: { id: "r", usage: counts } },
  ]) {
    const heard = await read("chat", lines([role, chunk({ content: "a" }), last]) + DONE);
    expect(heard.usage).toMatchObject({ inputTokens: 7, outputTokens: 2 });
  }
});

test("class calls: members that only one server knows go back with the call", async () => {
  const signed = { extra_content: { google: { thought_signature: "abc" } } };
  const heard = await read(
    "chat",
    lines([
      chunk({ role: "assistant", tool_calls: [call("a", "Read", '{"x":1}', signed)] }),
      // Gemini gives every call the index 0.
      chunk({ tool_calls: [call("b", "Read", '{"x":2}')] }),
      finish("stop"),
    ]),
  );
  expect(heard.calls.map(({ id }) => id)).toEqual(["a", "b"]);
  const [first, second] = (assistant("chat", heard) as { tool_calls: object[] }).tool_calls;
  expect(first).toEqual({
    ...signed,
    id: "a",
    type: "function",
    function: { name: "Read", arguments: '{"x":1}' },
  });
  expect(second).not.toHaveProperty("extra_content");
  expect(JSON.stringify(nextRequest("anthropic", heard))).not.toContain("thought_signature");
});

test("class calls: an id before the name, a null for arguments, and arguments as an object", async () => {
  const heard = await read(
    "chat",
    lines([
      chunk({
        tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "", arguments: null } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { name: "Read", arguments: '{"x":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: "1}" } }] }),
      chunk({ tool_calls: [{ index: 1, id: "b", function: { name: "Read", arguments: { x: 2 } } }] }),
      finish("tool_calls"),
    ]),
  );
  expect(heard.calls).toEqual([
    { id: "a", name: "Read", input: { x: 1 } },
    { id: "b", name: "Read", input: { x: 2 } },
  ]);
});

test("class ends: [DONE] without a finish reason ends a response; neither of both is a cut", async () => {
  const opening = [role, chunk({ content: "a" })];
  expect(await read("chat", lines(opening) + DONE)).toMatchObject({ stop: "end_turn", error: undefined });
  expect((await read("chat", lines(opening))).error).toContain("ended early");
  const calls = await read("chat", lines([chunk({ tool_calls: [call("a", "Read", '{"x":1}')] })]) + DONE);
  expect(calls).toMatchObject({ stop: "tool_use", calls: [{ id: "a" }] });
  const cut = await read("chat", lines([chunk({ tool_calls: [call("a", "Read", '{"x":')] })]) + DONE);
  expect(cut.calls).toEqual([]);
});

test("class framing: comments, CRLF, a byte order mark, empty data and a missing last line change nothing", async () => {
  const events = [role, chunk({ content: "né😀" }), finish("stop")];
  const plain = await read("chat", lines(events) + DONE);
  const forms = [
    `\ufeff${lines(events)}${DONE}`,
    lines(events).replaceAll("\n", "\r\n") + DONE,
    `: OPENROUTER PROCESSING\n\ndata:\n\n${lines(events)}: still here\n\n${DONE}`,
    lines(events).replaceAll('"choices"', '\ndata:  "choices"') + DONE,
    (lines(events) + DONE).trimEnd(),
    lines(events).trimEnd(),
    `${lines(events)}data: [DONE] \n\n`,
  ];
  for (const form of forms) {
    expect(await read("chat", form)).toEqual(plain);
    const bytes = new TextEncoder().encode(form);
    for (const size of [1, 3]) expect(await replay("chat", bytes, size)).toEqual(plain);
  }
});

test("class filters: chunks without choices, deltas or messages are passed over", async () => {
  const filtered = { ...chunk({}), choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
  const results = { ...chunk({}), choices: [{ index: 0, content_filter_results: {}, finish_reason: null }] };
  const heard = await read(
    "chat",
    lines([filtered, role, chunk({ content: "a" }), results, finish("content_filter")]),
  );
  expect(heard).toMatchObject({ text: "a", stop: "refusal", error: undefined });
});

test("class whole: a message in place of a delta counts", async () => {
  const whole = {
    ...chunk(undefined, {
      message: { role: "assistant", content: "a", tool_calls: [call("a", "Read", "{}")] },
      finish_reason: "tool_calls",
    }),
  };
  expect(await read("chat", lines([whole]) + DONE)).toMatchObject({ text: "a", calls: [{ id: "a" }] });
});

test("class errors: an error in the middle has the kind that its words or its number say", async () => {
  const failed = async (event: object, name = "") =>
    (await read("chat", `${lines([role])}${name}data: ${JSON.stringify(event)}\n\n`)).error;
  expect(await failed({ error: { code: 429, message: "slow down" } })).toContain("limit");
  expect(await failed({ error: { code: 502, message: "bad gateway" } })).toContain("failed to process");
  expect(await failed({ error: { code: 401, message: "no key" } })).toContain("API key");
  expect(await failed({ error: "model not loaded" })).toContain("model not loaded");
  expect(await failed({ object: "error", message: "max context", code: 400 })).toContain("max context");
  expect(await failed({ message: "gone" }, "event: error\n")).toContain("gone");
  const anthropic = await read("anthropic", `event: error\ndata: {"error":{"message":"gone"}}\n\n`);
  expect(anthropic.error).toContain("gone");
});

test("class messages: several messages stay apart, each with its phase", async () => {
  const first = message("m1", "Look.", { phase: "commentary" });
  const second = message("m2", "Done.", { phase: "final_answer" });
  const heard = await agreed("responses", [
    created,
    item("added", 0, begun(first)),
    part(0),
    said(0, "Look."),
    item("done", 0, first),
    item("added", 1, begun(second)),
    part(1),
    said(1, "Done."),
    item("done", 1, second),
    completed([first, second]),
  ]);
  expect(heard.blocks.map(({ text }) => text)).toEqual(["Look.", "Done."]);
  expect(items(heard)).toEqual([first, second]);
  expect(heard.usage).toMatchObject({ inputTokens: 6, cacheReadTokens: 4 });
  expect(JSON.stringify(nextRequest("anthropic", heard))).not.toContain("phase");
});

test("class order: items that end out of order go back in the order of their index", async () => {
  const reasoning = { type: "reasoning", id: "rs", summary: [], encrypted_content: "x" };
  const answer = message("m", "Hi.");
  const heard = await agreed("responses", [
    created,
    item("added", 0, reasoning),
    item("added", 1, begun(answer)),
    part(1),
    said(1, "Hi."),
    item("done", 1, answer),
    item("done", 0, reasoning),
    completed([reasoning, answer]),
  ]);
  expect(items(heard)).toEqual([reasoning, answer]);
});

test("class unknown: items and their members go back unchanged, without an event for their end as well", async () => {
  const tools = { type: "mcp_list_tools", id: "l", server_label: "s", tools: [{ name: "t" }] };
  const future = { type: "dream_call", id: "d", status: "completed", vision: { a: [1] } };
  const called = {
    type: "function_call",
    id: "fc",
    call_id: "c",
    name: "Read",
    arguments: '{"x":1}',
    namespace: "files",
    caller: { type: "program", caller_id: "p" },
  };
  const heard = await read(
    "responses",
    lines([
      created,
      item("added", 0, { ...tools, tools: [] }),
      item("added", 1, { ...future, status: "in_progress" }),
      item("added", 2, { ...called, arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 2, item_id: "fc", delta: '{"x":1}' },
      { type: "response.function_call_arguments.done", output_index: 2, item_id: "fc", arguments: '{"x":1}' },
      item("done", 2, called),
      item("done", 1, future),
      completed([tools, future, called]),
    ]),
  );
  expect(items(heard).slice(0, 3)).toEqual([tools, future, called]);
});

test("class indexes: a server without output_index is read by the ids of its items", async () => {
  const called = (id: string) => ({
    type: "function_call",
    call_id: id,
    name: "Read",
    arguments: "",
    status: "in_progress",
  });
  const piece = (id: string, delta: string) => ({
    type: "response.function_call_arguments.delta",
    item_id: id,
    delta,
  });
  const heard = await read(
    "responses",
    lines([
      { type: "response.created", response: { id: "r" } },
      item("added", undefined, { type: "reasoning", id: "rs", summary: [], content: [] }),
      { type: "response.reasoning_text.delta", item_id: "rs", delta: "Hm" },
      item("done", undefined, {
        type: "reasoning",
        id: "rs",
        summary: [],
        content: [{ type: "reasoning_text", text: "Hm" }],
      }),
      item("added", undefined, { type: "message", id: "m", content: [] }),
      { type: "response.output_text.delta", item_id: "m", delta: "Look" },
      item("done", undefined, message("m", "Look")),
      item("added", undefined, called("fc_1")),
      piece("fc_1", '{"x":'),
      item("added", undefined, called("fc_2")),
      piece("fc_2", '{"x":2}'),
      piece("fc_1", "1}"),
      item("done", undefined, { ...called("fc_1"), arguments: '{"x":1}', status: "completed" }),
      item("done", undefined, { ...called("fc_2"), arguments: '{"x":2}', status: "completed" }),
      completed([]),
    ]),
  );
  expect(heard).toMatchObject({ error: undefined, thinking: "Hm", text: "Look", stop: "tool_use" });
  expect(heard.calls).toEqual([
    { id: "fc_1", name: "Read", input: { x: 1 } },
    { id: "fc_2", name: "Read", input: { x: 2 } },
  ]);
  expect(heard.blocks.map(({ type }) => type)).toEqual(["openai_reasoning", "text", "tool_use", "tool_use"]);
});

test("class whole: items that come only at their end, or only with the whole response, count", async () => {
  const called = {
    type: "function_call",
    call_id: "c",
    name: "Read",
    arguments: '{"x":1}',
    status: "completed",
  };
  const answer = message("m", "Hi.");
  const atEnd = await read(
    "responses",
    lines([created, item("done", 0, answer), item("done", 1, called), completed([])]),
  );
  const whole = await read("responses", lines([created, completed([answer, called])]));
  for (const heard of [atEnd, whole]) {
    expect(heard).toMatchObject({ error: undefined, text: "Hi.", calls: [{ id: "c", input: { x: 1 } }] });
    expect(heard.blocks.map(({ type }) => type)).toEqual(["text", "tool_use"]);
  }
});

test("class refusals: a refusal is shown and goes back as one", async () => {
  const refusal = {
    type: "message",
    id: "m",
    status: "completed",
    role: "assistant",
    content: [{ type: "refusal", refusal: "No." }],
  };
  const heard = await read(
    "responses",
    lines([
      created,
      item("added", 0, begun(refusal)),
      { type: "response.refusal.delta", output_index: 0, delta: "No." },
      item("done", 0, refusal),
      completed([refusal]),
    ]),
  );
  expect(heard.text).toBe("No.");
  expect(items(heard)).toEqual([refusal]);
  expect((await read("chat", lines([chunk({ refusal: "No." }), finish("stop")]))).text).toBe("No.");
});

test("class message_start: calls, text and the stop reason inside it count", async () => {
  const used = {
    type: "tool_use",
    id: "a",
    name: "Read",
    input: { x: 1 },
    caller: { type: "code_execution_20250825", tool_id: "s" },
  };
  const text = { type: "text", text: "Hi." };
  const container = { id: "c", expires_at: "2025-12-20T05:33:37Z" };
  const heard = await agreed("anthropic", [
    start({ content: [text, used], stop_reason: "tool_use", container }),
    { type: "message_stop" },
  ]);
  expect(heard).toMatchObject({ text: "Hi.", stop: "tool_use", calls: [{ id: "a", input: { x: 1 } }] });
  expect(heard.blocks).toEqual([{ type: "anthropic_container", ...container }, text, used]);
});

test("class blocks: compactions, unknown blocks and unknown deltas go back as they came", async () => {
  const result = { type: "future_tool_result", tool_use_id: "s", content: [{ deep: 1 }] };
  const heard = await agreed("anthropic", [
    start(),
    ...block(0, { type: "compaction", content: null }, [{ type: "compaction_delta", content: "Summary" }]),
    ...block(1, { type: "redacted_thinking", data: "sealed" }),
    ...block(2, result),
    ...block(3, { type: "text", text: "" }, [{ type: "text_delta", text: "ok" }]),
    ...stop("end_turn"),
  ]);
  expect(heard.blocks[0]).toMatchObject({ type: "compaction", content: "Summary" });
  expect(heard.blocks.slice(1, 3)).toEqual([{ type: "redacted_thinking", data: "sealed" }, result]);
  const grown = await read(
    "anthropic",
    lines([
      start(),
      ...block(0, { type: "dream" }, [
        { type: "dream_delta", vision: "a" },
        { type: "dream_delta", vision: "b", seal: { x: 1 } },
      ]),
      ...stop("end_turn"),
    ]),
  );
  expect(grown.blocks).toEqual([{ type: "dream", vision: "ab", seal: { x: 1 } }]);
});

test("class ends: a block whose end is not reported is whole if the response ends properly", async () => {
  const open = (reason: string, json: string) =>
    read(
      "anthropic",
      lines([
        start(),
        ...block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "Hi" }]).slice(0, -1),
        ...block(1, { type: "tool_use", id: "a", name: "Read", input: {} }, [
          { type: "input_json_delta", partial_json: json },
        ]).slice(0, -1),
        ...stop(reason),
      ]),
    );
  const whole = await open("tool_use", '{"x":1}');
  expect(whole.calls).toEqual([{ id: "a", name: "Read", input: { x: 1 } }]);
  expect(whole.blocks.map(({ type }) => type)).toEqual(["text", "tool_use"]);
  expect((await open("max_tokens", '{"x":1}')).calls).toEqual([]);
  expect((await open("tool_use", '{"x":')).calls).toEqual([]);
});
