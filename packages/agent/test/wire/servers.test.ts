/** What single servers do differently, read by our readers. Most of it makes the official SDKs fail or lose data. */

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
import { replay } from "./replay.ts";

const cutCall = chunk({ tool_calls: [call("a", "Read", '{"x":')] });

test("finish reasons: a limit, a filter and a failure are known in the words of each server", async () => {
  const ended = async (reason: string) => read("chat", lines([role, cutCall, finish(reason)]) + DONE);
  for (const reason of [
    "length",
    "max_tokens",
    "MAX_TOKENS",
    "model_length",
    "model_context_window_exceeded",
  ])
    expect(await ended(reason)).toMatchObject({ stop: "max_tokens", calls: [], error: undefined });
  for (const reason of ["content_filter", "SAFETY", "sensitive", "content_filter: RECITATION"])
    expect(await ended(reason)).toMatchObject({ stop: "refusal", calls: [], error: undefined });
  for (const reason of ["error", "insufficient_system_resource", "network_error", "abort"]) {
    const { error, calls } = await ended(reason);
    expect(error).toBe(`The response ended early: the server reports "${reason}".`);
    expect(calls).toEqual([]);
  }
  expect((await ended("function_call_filter: MALFORMED_FUNCTION_CALL")).error).toContain("MALFORMED");
  const whole = chunk({ tool_calls: [call("a", "Read", '{"x":1}')] });
  for (const reason of ["stop", "tool_calls", "tool_use", "eos", "end_turn", "STOP"])
    expect((await read("chat", lines([role, whole, finish(reason)]))).calls).toHaveLength(1);
});

test("finish reasons: what comes after one counts, unless the response is repeated", async () => {
  const piece = (delta: object, reason: string | null, id = "c") => ({
    id,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const used = { tool_calls: [call("a", "Read", "{}")] };
  const hello = [piece({ role: "assistant", content: "Hel" }, "stop"), piece({ content: "lo" }, "stop")];
  const everywhere = await read("chat", lines([...hello, piece(used, "stop")]) + DONE);
  expect(everywhere).toMatchObject({ text: "Hello", calls: [{ id: "a" }], error: undefined });
  const late = [piece({ content: "Hi" }, "stop"), piece(used, "tool_calls")];
  expect(await read("chat", lines(late) + DONE)).toMatchObject({ stop: "tool_use", calls: [{ id: "a" }] });
  const again = [
    piece({ role: "assistant", content: "Hel" }, "stop", "d"),
    piece({ content: "lo" }, "stop", "d"),
  ];
  for (const copy of [hello, again])
    expect((await read("chat", lines([...hello, ...copy]) + DONE)).text).toBe("Hello");
});

test("errors: an empty one is none", async () => {
  for (const error of ["", {}, false, null]) {
    const events = [{ ...(chunk({ content: "Hi" }) as object), error }, finish("stop")];
    expect(await read("chat", lines(events) + DONE)).toMatchObject({ text: "Hi", error: undefined });
  }
});

test("stop reasons: a gateway of the Messages API can pass on the words of other servers", async () => {
  const used = { type: "tool_use", id: "a", name: "Read", input: {} };
  const ended = async (reason: string) =>
    read(
      "anthropic",
      lines([
        start(),
        ...block(0, used, [{ type: "input_json_delta", partial_json: '{"x":' }]),
        ...stop(reason),
      ]),
    );
  expect(await ended("length")).toMatchObject({ stop: "max_tokens", calls: [] });
  expect(await ended("content_filter")).toMatchObject({ stop: "refusal", calls: [] });
  expect((await ended("error")).error).toContain("ended early");
  expect(await ended("stop")).toMatchObject({ stop: "end_turn" });
});

test("Gemini: marked texts are thinking, and the signature of a text goes back", async () => {
  const google = (more: object) => ({ extra_content: { google: more } });
  const heard = await read(
    "chat",
    lines([
      chunk({ role: "assistant", content: "<thought>Hm", ...google({ thought: true }) }),
      chunk({ content: "m.</thought>", ...google({ thought: true }) }),
      chunk({ content: "Yes" }),
      chunk({ content: "", ...google({ thought_signature: "sig" }) }, { finish_reason: "stop" }),
    ]),
  );
  expect(heard).toMatchObject({ thinking: "Hmm.", text: "Yes" });
  expect(assistant("chat", heard)).toEqual({
    role: "assistant",
    content: "Yes",
    ...google({ thought_signature: "sig" }),
  });
});

test("Gemini: calls without ids or an index, and errors in a list", async () => {
  const called = (x: number, more: object = {}) => ({
    ...call("", "Read", `{"x":${x}}`),
    index: undefined,
    ...more,
  });
  for (const more of [{}, { index: 0 }]) {
    const two = chunk({ role: "assistant", tool_calls: [called(1, more), called(2, more)] });
    const heard = await read("chat", lines([two, finish("stop")]));
    expect(heard.calls.map(({ input }) => input)).toEqual([{ x: 1 }, { x: 2 }]);
    expect(new Set(heard.calls.map(({ id }) => id)).size).toBe(2);
  }
  const failed = await read("chat", `data: [{"error":{"code":429,"message":"no quota"}}]\n\n`);
  expect(failed.error).toContain("no quota");
});

test("LiteLLM: calls that are numbered from 1 are complete at once, not only at the end", async () => {
  const first = { ...call("a", "Read", '{"x":1}'), index: 1 };
  const heard = await read("chat", lines([role, chunk({ tool_calls: [first] })]));
  expect(heard.calls.map(({ id }) => id)).toEqual(["a"]);
  const second = { ...call("b", "Read", '{"x":2}'), index: 2 };
  const both = [chunk({ tool_calls: [first] }), chunk({ tool_calls: [second] }), finish("tool_calls")];
  expect((await read("chat", lines([role, ...both]))).calls.map(({ id }) => id)).toEqual(["a", "b"]);
});

test("SGLang: the name of a call can come after its arguments, with or without an index", async () => {
  for (const place of [{ index: 0 }, {}])
    for (const [one, other] of [
      ['{"x":', "1}"],
      ['{"x":1}', ""],
    ]) {
      const heard = await read(
        "chat",
        lines([
          chunk({ tool_calls: [{ ...place, id: "a", function: { arguments: one } }] }),
          chunk({ tool_calls: [{ ...place, id: "a", function: { name: "Read", arguments: other } }] }),
          finish("tool_calls"),
        ]),
      );
      expect(heard.calls).toEqual([{ id: "a", name: "Read", input: { x: 1 } }]);
    }
});

test("older servers: a call in function_call counts", async () => {
  const heard = await read(
    "chat",
    lines([
      chunk({ role: "assistant", content: null, function_call: { name: "Read", arguments: "" } }),
      chunk({ function_call: { arguments: '{"x":' } }),
      chunk({ function_call: { arguments: "1}" } }),
      finish("function_call"),
    ]),
  );
  expect(heard).toMatchObject({ stop: "tool_use", calls: [{ name: "Read", input: { x: 1 } }] });
  expect(assistant("chat", heard)).toMatchObject({ tool_calls: [{ function: { arguments: '{"x":1}' } }] });
});

test("content as one part, and reasoning as an object, are shown", async () => {
  const heard = await read(
    "chat",
    lines([
      chunk({ reasoning: { content: "Hm" } }),
      chunk({ content: { type: "text", text: "Yes" } }),
      finish("stop"),
    ]),
  );
  expect(heard).toMatchObject({ thinking: "Hm", text: "Yes" });
  expect(assistant("chat", heard)).toMatchObject({ content: "Yes", reasoning: { content: "Hm" } });
});

test("cache: tokens that were written and read are found under each server's names", async () => {
  const base = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 };
  const details = { cached_tokens: 60 };
  for (const counts of [
    { ...base, prompt_tokens_details: details, cache_creation_input_tokens: 20, cache_read_input_tokens: 60 },
    { ...base, prompt_tokens_details: { ...details, cache_creation_tokens: 20 } },
    { ...base, prompt_tokens_details: { ...details, cache_creation_input_tokens: 20 } },
    { ...base, num_cached_tokens: 60, cache_creation_input_tokens: 20 },
  ]) {
    const heard = await read("chat", lines([role, chunk({ content: "a" }), finish("stop"), usage(counts)]));
    expect(heard.usage).toEqual({
      inputTokens: 20,
      outputTokens: 5,
      cacheReadTokens: 60,
      cacheWriteTokens: 20,
    });
  }
});

test("usage: a later count of the input corrects the first, unless it is empty", async () => {
  const counted = (given: object, more: object = {}) => ({ ...chunk({ content: "a" }, more), usage: given });
  const first = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
  const last = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 8 } };
  const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  for (const more of [[], [usage(none)], [usage({})]]) {
    const heard = await read("chat", lines([role, counted(first), counted(last), finish("stop"), ...more]));
    expect(heard.usage).toMatchObject({ inputTokens: 2, cacheReadTokens: 8, outputTokens: 2 });
  }
  const [delta, end] = stop("end_turn");
  const corrected = { ...delta, usage: { input_tokens: 2, cache_read_input_tokens: 8, output_tokens: 5 } };
  const text = block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "Hi" }]);
  const heard = await agreed("anthropic", [
    start({ usage: { input_tokens: 10, output_tokens: 1 } }),
    ...text,
    corrected,
    end ?? {},
  ]);
  expect(heard.usage).toMatchObject({ inputTokens: 2, cacheReadTokens: 8, outputTokens: 5 });
});

test("errors: inside a choice, under a server's own name, and by a status in the body", async () => {
  const failed = async (event: object) => (await read("chat", lines([role, event]) + DONE)).error;
  const error = { code: 502, message: "gone" };
  expect(await failed(chunk({}, { finish_reason: "error", error }))).toContain("gone");
  expect(await failed({ ...chunk({}), x_groq: { id: "r", error: "gone" } })).toContain("gone");
  expect(await failed({ choices: null, base_resp: { status_code: 1008, status_msg: "gone" } })).toContain(
    "gone",
  );
  const fine = { ...chunk({ content: "a" }), base_resp: { status_code: 0, status_msg: "" } };
  expect(await failed(fine)).toBeUndefined();
});

const called = (id: string, text: string, more: object = {}) => ({
  type: "function_call",
  id: `f${id}`,
  call_id: id,
  name: "Read",
  arguments: text,
  status: "completed",
  ...more,
});
const pending = (id: string) => called(id, "", { status: "in_progress" });
const piece = (index: number, id: string, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index: index,
  item_id: `f${id}`,
  delta,
});
const answer = message("m", "Hi.");
const spoken = (index: number) => [
  item("added", index, begun(answer)),
  part(index),
  said(index, "Hi."),
  item("done", index, answer),
];

test("Responses: a server that gives every item the same index, or reports its beginning twice", async () => {
  const a = called("a", '{"x":1}');
  const b = called("b", '{"x":2}');
  const heard = await agreed("responses", [
    created,
    ...spoken(0),
    item("added", 0, pending("a")),
    piece(0, "a", '{"x":1}'),
    item("done", 0, a),
    item("added", 0, pending("b")),
    item("added", 0, pending("b")),
    piece(0, "b", '{"x":2}'),
    item("done", 0, b),
    completed([answer, a, b]),
  ]);
  expect(heard.calls.map(({ input }) => input)).toEqual([{ x: 1 }, { x: 2 }]);
});

test("Responses: an item that comes only with the whole response is not lost", async () => {
  const a = called("a", '{"x":1}');
  const heard = await agreed("responses", [created, ...spoken(0), completed([answer, a])]);
  expect(heard).toMatchObject({ text: "Hi.", stop: "tool_use", calls: [{ id: "a", input: { x: 1 } }] });
  expect(items(heard).slice(0, 1)).toEqual([answer]);
  const renamed = { ...answer, id: "other" };
  const once = await read("responses", lines([created, ...spoken(0), completed([renamed])]));
  expect(once.blocks).toHaveLength(1);
});

test("Responses: the name of a call only at its end, and arguments as an object", async () => {
  const { name: _name, ...unnamed } = pending("a");
  const whole = { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"x":1}' };
  for (const events of [
    [item("added", 0, unnamed), piece(0, "a", '{"x":1}'), whole, item("done", 0, called("a", '{"x":1}'))],
    [item("added", 0, unnamed), item("done", 0, { ...called("a", ""), arguments: { x: 1 } })],
  ]) {
    const heard = await read("responses", lines([created, ...events, completed([])]));
    expect(heard.calls).toEqual([{ id: "a", name: "Read", input: { x: 1 } }]);
  }
});

test("Responses: [DONE] and response.done end a response whose items have ended", async () => {
  const a = called("a", '{"x":1}');
  const over = { ...completed([a]), type: "response.done" };
  const begins = [created, item("added", 0, pending("a")), piece(0, "a", '{"x":1}')];
  for (const text of [
    lines([...begins, item("done", 0, a)]) + DONE,
    lines([...begins, item("done", 0, a), over]),
  ])
    expect(await read("responses", text)).toMatchObject({ stop: "tool_use", error: undefined });
  const half = [created, ...spoken(0).slice(0, 3)];
  expect((await read("responses", lines(half) + DONE)).error).toContain("ended early");
});

test("Responses: the status of the last event decides how the response ended", async () => {
  const last = (more: object) => ({ ...completed([]), response: { id: "r", output: [], ...more } });
  const failed = last({ status: "failed", error: { code: "server_error", message: "boom" } });
  expect((await read("responses", lines([created, failed]))).error).toContain("boom");
  const details = { incomplete_details: { reason: "max_output_tokens" } };
  const cut = [
    item("added", 0, pending("a")),
    piece(0, "a", '{"x":'),
    last({ status: "incomplete", ...details }),
  ];
  expect(await read("responses", lines([created, ...cut]))).toMatchObject({ stop: "max_tokens", calls: [] });
});

test("Messages: message_stop without a stop reason ends a response whose blocks have ended", async () => {
  const text = block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "Hi" }]);
  const end = { type: "message_stop" };
  expect(await read("anthropic", lines([start(), ...text, end]))).toMatchObject({
    stop: "end_turn",
    text: "Hi",
  });
  expect((await read("anthropic", lines([start(), ...text.slice(0, -1), end]))).error).toContain(
    "ended early",
  );
  const used = block(0, { type: "tool_use", id: "a", name: "Read", input: { x: 1 } });
  expect(await read("anthropic", lines([start(), ...used, end]))).toMatchObject({ stop: "tool_use" });
});

test("Messages: of two signatures the last one counts", async () => {
  const signed = (signature: string) => ({ type: "signature_delta", signature });
  const thought = block(0, { type: "thinking", thinking: "", signature: "" }, [
    { type: "thinking_delta", thinking: "Hm" },
    signed("one"),
    signed("two"),
  ]);
  const text = block(1, { type: "text", text: "" }, [{ type: "text_delta", text: "Hi" }]);
  const heard = await agreed("anthropic", [start(), ...thought, ...text, ...stop("end_turn")]);
  expect(heard.blocks[0]).toEqual({ type: "thinking", thinking: "Hm", signature: "two" });
});

test("fragments: a name in pieces, an empty object before the arguments, and an index that counts the pieces", async () => {
  const first = (name: string, text: string) => chunk({ tool_calls: [call("a", name, text)] });
  const more = (text: string, rest: object = {}) =>
    chunk({ tool_calls: [{ index: 0, function: { arguments: text }, ...rest }] });
  const end = [finish("tool_calls"), usage({ prompt_tokens: 3, completion_tokens: 2 })];
  for (const events of [
    [first("Re", '{"file'), more('":"x"}', { function: { name: "ad", arguments: '":"x"}' } })],
    [first("Re", ""), more("", { function: { name: "Read" } }), more('{"file":"x"}')],
    [first("Read", "{}"), more('{"file":"x"}')],
    [first("Read", ""), more('{"file"', { index: 1 }), more(':"x"}', { index: 2 })],
  ]) {
    const heard = await read("chat", lines([...events, ...end]) + DONE);
    expect(heard.calls).toEqual([{ id: "a", name: "Read", input: { file: "x" } }]);
    expect(heard.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
  }
  const messages = block(0, { type: "tool_use", id: "a", name: "Read", input: {} }, [
    { type: "input_json_delta", partial_json: "{}" },
    { type: "input_json_delta", partial_json: '{"file":"x"}' },
  ]);
  const heard = await read("anthropic", lines([start(), ...messages, ...stop("tool_use")]));
  expect(heard.blocks).toEqual([{ type: "tool_use", id: "a", name: "Read", input: { file: "x" } }]);
});

test("finish reasons: with every chunk, while a call is still arriving", async () => {
  const early = (text: string) =>
    chunk({ tool_calls: [{ ...call("a", "Read", text) }] }, { finish_reason: "stop" });
  const heard = await agreed("chat", [early('{"fi'), early('le":"x"}'), usage({ prompt_tokens: 3 })], DONE);
  expect(heard.calls).toEqual([{ id: "a", name: "Read", input: { file: "x" } }]);
});

test("GitHub Copilot: sealed reasoning goes back and is not shown", async () => {
  const heard = await agreed(
    "chat",
    [
      chunk({ role: "assistant", content: null, reasoning_text: "Look " }),
      chunk({ content: null, reasoning_text: "first", reasoning_opaque: "se" }),
      chunk({ content: null, reasoning_opaque: "aled", tool_calls: [call("a", "Read", '{"n":1}')] }),
      finish("tool_calls"),
      usage({ prompt_tokens: 3, completion_tokens: 2 }),
    ],
    DONE,
  );
  expect(heard.thinking).toBe("Look first");
  expect(assistant("chat", heard)).toMatchObject({
    reasoning_text: "Look first",
    reasoning_opaque: "sealed",
  });
});

test("GitHub Copilot: a whole answer with its text and each call in a choice of its own", async () => {
  const calling = (id: string) => ({ ...call(id, "Read", `{"id":"${id}"}`), index: undefined });
  const choices = [
    { finish_reason: "tool_calls", message: { role: "assistant", content: "Look." } },
    ...["a", "b"].map((id) => ({ finish_reason: "tool_calls", message: { tool_calls: [calling(id)] } })),
  ];
  const counts = { prompt_tokens: 3, completion_tokens: 2 };
  const heard = await read("chat", JSON.stringify({ id: "c", choices, usage: counts }));
  expect(heard).toMatchObject({ text: "Look.", stop: "tool_use", usage: { inputTokens: 3 } });
  expect(heard.calls.map(({ id, input }) => [id, input])).toEqual([
    ["a", { id: "a" }],
    ["b", { id: "b" }],
  ]);
  const [first] = choices;
  const two = JSON.stringify({
    id: "c",
    choices: [0, 1].map((index) => ({ ...first, index })),
    usage: counts,
  });
  expect(await read("chat", two)).toMatchObject({ text: "Look." });
});

test("LiteLLM: signed blocks of thinking go back beside the text", async () => {
  const thought = (thinking: string, signature: string) => ({ type: "thinking", thinking, signature });
  const heard = await agreed(
    "chat",
    [
      chunk({ content: "", reasoning_content: "Look", thinking_blocks: [thought("Look", "")] }),
      chunk({ content: "", thinking_blocks: [thought("", "sig")] }),
      chunk({ tool_calls: [call("a", "Read", '{"n":1}')] }),
      finish("tool_calls"),
      usage({ prompt_tokens: 3, completion_tokens: 2 }),
    ],
    DONE,
  );
  expect(heard.thinking).toBe("Look");
  expect(assistant("chat", heard)).toMatchObject({ thinking_blocks: [thought("Look", "sig")] });
});

test("whole messages: one that repeats the pieces before it says nothing new", async () => {
  const repeated = chunk(undefined, {
    message: { role: "assistant", content: "Hello.", reasoning_content: "Hm." },
    finish_reason: "stop",
  });
  const pieces = [chunk({ reasoning_content: "Hm." }), chunk({ content: "Hel" }), chunk({ content: "lo." })];
  const heard = await read("chat", lines([...pieces, repeated]) + DONE);
  expect(heard).toMatchObject({ text: "Hello.", thinking: "Hm.", stop: "end_turn", error: undefined });
  const later = await read("chat", lines([role, chunk({ reasoning_content: "Hm." }), repeated]) + DONE);
  expect(later).toMatchObject({ text: "Hello.", thinking: "Hm." });
});

test("framing: marks of life without an object, an end mark as JSON, and words after the end change nothing", async () => {
  const text = lines([chunk({ content: "a" })]);
  const ends = lines([finish("stop")]);
  for (const whole of [
    `event: ping\ndata: ping\n\n${text}event: heartbeat\ndata: 1\n\n${ends}${DONE}`,
    `${text}${ends}data: "[DONE]"\n\n`,
    `${text}${ends}data: OK\n\n`,
  ])
    expect(await read("chat", whole)).toMatchObject({ text: "a", stop: "end_turn", error: undefined });
  const block0 = block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "a" }]);
  const messages = `${lines([start()])}event: ping\ndata: ping\n\n${lines([...block0, ...stop("end_turn")])}`;
  expect(await read("anthropic", messages)).toMatchObject({ text: "a", error: undefined });
  expect((await read("chat", `${text}data: OK\n\n`)).error).toContain("not a JSON object: OK");
});

test("errors: the body of an error in place of a chunk", async () => {
  const failed = async (event: object) => (await read("chat", lines([role, event]))).error;
  expect(await failed({ statusCode: 429, message: "slow down" })).toContain("limit");
  expect(await failed({ detail: "model not loaded" })).toContain("model not loaded");
  expect(await failed({ text: "out of memory", error_code: 500_01 })).toContain("out of memory");
  expect(await failed({ status: 500, title: "crashed" })).toContain("crashed");
  const harmless = lines([{ message: "queued" }, { status: 200, message: "ok" }, chunk({ content: "a" })]);
  expect(await read("chat", harmless + lines([finish("stop")]) + DONE)).toMatchObject({ text: "a" });
});

test("Responses: arguments that are done before they come with the item", async () => {
  const item0 = { type: "function_call", id: "fc", call_id: "a", name: "Read", arguments: "" };
  const whole = { ...item0, arguments: '{"n":1}', status: "completed" };
  const heard = await agreed("responses", [
    created,
    item("added", 0, item0),
    { type: "response.function_call_arguments.done", output_index: 0, item_id: "fc", arguments: "" },
    item("done", 0, whole),
    completed([whole]),
  ]);
  expect(heard.calls).toEqual([{ id: "a", name: "Read", input: { n: 1 } }]);
});

test("Responses: a last event without the items that came before it", async () => {
  const whole = { type: "function_call", id: "fc", call_id: "a", name: "Read", arguments: '{"n":1}' };
  const before = [created, item("added", 0, { ...whole, arguments: "" }), item("done", 0, whole)];
  const { output: _output, ...response } = completed([]).response;
  for (const last of [completed([]), { type: "response.completed", response }]) {
    const heard = await agreed("responses", [...before, last]);
    expect(heard).toMatchObject({ calls: [{ id: "a" }], stop: "tool_use", usage: { outputTokens: 2 } });
  }
});

test("Messages: gateways that leave the index out, or report the end of a block twice", async () => {
  const bare = (events: readonly object[]) =>
    events.map((event) => {
      const { index: _index, ...rest } = event as { index?: number };
      return rest;
    });
  const text = block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "a" }]);
  const calls = block(1, { type: "tool_use", id: "a", name: "Read", input: {} }, [
    { type: "input_json_delta", partial_json: '{"n":1}' },
  ]);
  const twice = [...text, { type: "content_block_stop", index: 0 }, ...calls];
  for (const events of [bare([...text, ...calls]), twice]) {
    const heard = await read("anthropic", lines([start(), ...events, ...stop("tool_use")]));
    expect(heard).toMatchObject({ error: undefined, stop: "tool_use" });
    expect(heard.blocks).toEqual([
      { type: "text", text: "a" },
      { type: "tool_use", id: "a", name: "Read", input: { n: 1 } },
    ]);
  }
});

test("Messages: gateways that send text or thinking to a block of another kind, or to one that has ended", async () => {
  const delta = (more: object) => ({ type: "content_block_delta", index: 0, delta: more });
  const words = (text: string) => delta({ type: "text_delta", text });
  const thought = delta({ type: "thinking_delta", thinking: "Hm" });
  const begins = (content_block: object) => ({ type: "content_block_start", index: 0, content_block });
  const ends = { type: "content_block_stop", index: 0 };
  const used = [
    begins({ type: "tool_use", id: "a", name: "Read", input: {} }),
    delta({ type: "input_json_delta", partial_json: '{"n":1}' }),
  ];
  const block0 = { type: "tool_use", id: "a", name: "Read", input: { n: 1 } };
  const heard = (events: readonly object[]) =>
    read("anthropic", lines([start(), ...events, ...stop("tool_use")]));
  // LiteLLM
  expect(await heard([begins({ type: "text", text: "" }), thought, words("Hi"), ends])).toMatchObject({
    thinking: "Hm",
    blocks: [{ type: "text", text: "Hi" }],
  });
  // SGLang, between two calls
  expect((await heard([...used, words("\n"), ends])).blocks).toEqual([block0]);
  // claude-code-router
  for (const events of [
    [...used, words("Next."), ends],
    [...used, ends, thought, words("Next.")],
  ])
    expect(await heard(events)).toMatchObject({
      error: undefined,
      text: "Next.",
      calls: [{ id: "a", input: { n: 1 } }],
      blocks: [block0, { type: "text", text: "Next." }],
    });
});

test("calls: pieces that carry an id belong to the call with this id", async () => {
  const named = (id: string, text: string, index?: number) =>
    chunk({ tool_calls: [{ index, id, function: { arguments: text } }] });
  for (const index of [undefined, 0]) {
    const both = chunk({
      tool_calls: [
        { ...call("a", "Read", ""), index },
        { ...call("b", "Read", ""), index },
      ],
    });
    const pieces = [named("a", '{"n":', index), named("b", '{"n":2}', index), named("a", "1}", index)];
    const heard = await read("chat", lines([role, both, ...pieces, finish("tool_calls")]) + DONE);
    expect(heard.calls).toEqual([
      { id: "a", name: "Read", input: { n: 1 } },
      { id: "b", name: "Read", input: { n: 2 } },
    ]);
  }
});

test("reasoning: an empty list of details does not go back", async () => {
  const thought = chunk({ content: "", reasoning: "Hm", reasoning_details: [] });
  const heard = await agreed("chat", [role, thought, chunk({ content: "Yes" }), finish("stop")], DONE);
  expect(assistant("chat", heard)).toEqual({ role: "assistant", content: "Yes", reasoning: "Hm" });
});

test("the same events in pieces of one byte give the same", async () => {
  const google = { extra_content: { google: { thought: true } } };
  const text = lines([chunk({ content: "<thought>né😀</thought>", ...google }), cutCall, finish("SAFETY")]);
  const bytes = new TextEncoder().encode(text);
  expect(await replay("chat", bytes, 1)).toEqual(await replay("chat", bytes, bytes.length));
});
