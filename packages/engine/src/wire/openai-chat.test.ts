import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutAt, play } from "../../test/support/wire.ts";
import { openaiCalls } from "./openai.ts";

function chunk(delta: unknown, finish_reason: string | null = null): unknown {
  return { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] };
}

const opening = chunk({ role: "assistant", content: null });
const usage = { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage: { total_tokens: 9 } };
const finish = (reason: string): unknown => chunk({}, reason);
const pieces = (...tool_calls: unknown[]): unknown => chunk({ tool_calls });

function head(index: number, json: unknown = ""): unknown {
  return { index, id: `call_${"abc"[index]}`, type: "function", function: { name: "Read", arguments: json } };
}

const more = (index: number, json: string): unknown => ({ index, function: { arguments: json } });
const read = (index: number, input: unknown): unknown => ({
  id: `call_${"abc"[index]}`,
  name: "Read",
  input,
});

/** As OpenAI sends it: a head with empty arguments, then their pieces, call after call. */
const RESPONSE = [
  opening,
  pieces(head(0)),
  pieces(more(0, '{"file_')),
  pieces(more(0, 'path":"a"}')),
  pieces(head(1)),
  pieces(more(1, '{"file_path":"b"}')),
  finish("tool_calls"),
  usage,
];

describe("a response in chunks", () => {
  test("adds each call as soon as its arguments close, and passes every chunk on", async () => {
    const { sink, passed, callsAt } = await play(openaiCalls, RESPONSE);
    expect(sink.calls).toEqual([read(0, { file_path: "a" }), read(1, { file_path: "b" })]);
    expect(callsAt).toEqual([0, 0, 0, 1, 1, 2, 2, 2]);
    expect(sink.endings).toEqual([{ ok: true }]);
    passed.forEach((event, at) => expect(event).toBe(RESPONSE[at]));
    expect(sink.arrived.map((arrived) => arrived.delta)).toEqual([
      "",
      '{"file_',
      'path":"a"}',
      "",
      '{"file_path":"b"}',
    ]);
  });

  test("A06, A07: if the stream is cut after any chunk, only complete calls are added and the end is reported once", async () => {
    for (let length = 0; length < RESPONSE.length; length += 1) {
      const { sink } = await play(openaiCalls, RESPONSE.slice(0, length), new Error("reset"));
      expect(sink.ids).toEqual(["call_a", "call_b"].slice(0, [4, 6].filter((end) => length >= end).length));
      expect(sink.endings).toEqual([{ ok: false, reason: "the connection was cut: reset" }]);
    }
  });

  test("A06: a response without a finish reason was cut off", async () => {
    const { sink } = await play(openaiCalls, RESPONSE.slice(0, 5));
    expect(sink.ids).toEqual(["call_a"]);
    expect(sink.endings).toEqual([{ ok: false, reason: "the connection was cut" }]);
  });

  test("B03: a call without arguments is {} when the next one begins, or the choice finishes", async () => {
    const events = [opening, pieces(head(0)), pieces(head(1)), finish("tool_calls")];
    const { sink, callsAt } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([read(0, {}), read(1, {})]);
    expect(callsAt).toEqual([0, 0, 1, 2]);
  });

  test("B03: calls that begin in the same chunk wait for their arguments", async () => {
    const events = [
      pieces(head(0), head(1)),
      pieces(more(0, '{"a":0}')),
      pieces(more(1, '{"a":1}')),
      finish("stop"),
    ];
    const { sink } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([read(0, { a: 0 }), read(1, { a: 1 })]);
  });

  test("Late arguments for a call that was assumed to have none are a protocol error", async () => {
    const events = [pieces(head(0)), pieces(head(1)), pieces(more(0, '{"a":0}')), finish("tool_calls")];
    const { sink, passed } = await play(openaiCalls, events);
    expect(passed).toEqual(events);
    expect(sink.calls).toEqual([read(0, {})]);
    expect(sink.endings[0]?.reason).toMatch(/^protocol error: arguments arrived for call call_a/);
  });

  test("A15: interleaved calls are assembled by index and added in order", async () => {
    const events = [
      pieces(head(0, '{"a":')),
      pieces(head(1, '{"a":1}')),
      pieces(more(0, "0"), more(0, "}")),
      finish("tool_calls"),
    ];
    const { sink, callsAt } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([read(0, { a: 0 }), read(1, { a: 1 })]);
    expect(callsAt).toEqual([0, 0, 2, 2]);
  });

  test("B01: length drops the last call if it is not closed, and keeps the others", async () => {
    for (const json of ["", '{"path":"REA']) {
      const { sink } = await play(openaiCalls, [
        pieces(head(0, "{}")),
        pieces(head(1, json)),
        finish("length"),
      ]);
      expect(sink.calls).toEqual([read(0, {})]);
      expect(sink.endings).toEqual([{ ok: true }]);
    }
  });

  test("B02: arguments that do not parse are added as text, unless they were cut off", async () => {
    const broken = { id: "call_a", name: "Read", inputText: '{"a":' };
    for (const reason of ["tool_calls", "stop"]) {
      const { sink } = await play(openaiCalls, [pieces(head(0, '{"a":')), finish(reason)]);
      expect(sink.calls).toEqual([broken]);
    }
    const { sink } = await play(openaiCalls, [
      pieces(head(0, '{"a":')),
      pieces(head(1, "{")),
      finish("length"),
    ]);
    expect(sink.calls).toEqual([broken]);
  });

  test("B11: content_filter is a refusal and drops open calls", async () => {
    const { sink } = await play(openaiCalls, [
      pieces(head(0, "{}")),
      pieces(head(1)),
      finish("content_filter"),
    ]);
    expect(sink.ids).toEqual(["call_a"]);
    expect(sink.endings).toEqual([{ ok: false, reason: "refusal" }]);
  });

  test("an error instead of a chunk ends the stream", async () => {
    const error = { error: { code: "server_error", message: "The model is overloaded" } };
    const { sink } = await play(openaiCalls, [pieces(head(0, "{}")), error]);
    expect(sink.endings).toEqual([{ ok: false, reason: "server_error: The model is overloaded" }]);
  });
});

describe("servers that leave things out", () => {
  const named = (name: string, json: unknown, rest: object = {}): unknown => ({
    ...rest,
    function: { name, arguments: json },
  });

  test("no index: another id or name begins another call, the rest continues the last", async () => {
    const events = [
      pieces(named("Read", '{"a":', { id: "x" })),
      pieces({ function: { arguments: "1}" } }),
      pieces(named("Read", '{"a":2}', { id: "y" })),
      pieces(named("Glob", "{}")),
      finish("tool_calls"),
    ];
    const { sink } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([
      { id: "x", name: "Read", input: { a: 1 } },
      { id: "y", name: "Read", input: { a: 2 } },
      { id: "call_2", name: "Glob", input: {} },
    ]);
  });

  test("no id: each call gets one that is unique in the response", async () => {
    const events = [
      pieces(named("Read", "{}", { id: "call_1" }), named("Read", '{"a":1}'), named("Read", '{"a":2}')),
    ];
    const { sink } = await play(openaiCalls, [...events, finish("stop")]);
    expect(sink.ids).toEqual(["call_1", "call_2", "call_3"]);
  });

  test("arguments as an object are the input", async () => {
    const { sink, callsAt } = await play(openaiCalls, [
      pieces(named("Read", { a: 1 }, { index: 0 })),
      finish("stop"),
    ]);
    expect(sink.calls).toEqual([{ id: "call_0", name: "Read", input: { a: 1 } }]);
    expect(callsAt).toEqual([1, 1]);
  });

  test("the same index for every call: another id begins another call", async () => {
    const events = [
      pieces(named("Read", '{"a":0}', { index: 0, id: "x" })),
      pieces(named("Read", '{"a":1}', { index: 0, id: "y" })),
      finish("tool_calls"),
    ];
    const { sink } = await play(openaiCalls, events);
    expect(sink.ids).toEqual(["x", "y"]);
  });

  test("id and name repeated with every piece: still one call", async () => {
    const events = [
      pieces(head(0, '{"a"')),
      pieces(head(0, ":1}")),
      pieces(head(0, "")),
      finish("tool_calls"),
    ];
    const { sink } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([read(0, { a: 1 })]);
    const bare = ['{"a":', "1}", ""].map((json) => pieces(named("Read", json, { index: 0 })));
    const withoutIds = await play(openaiCalls, [...bare, finish("tool_calls")]);
    expect(withoutIds.sink.calls).toEqual([{ id: "call_0", name: "Read", input: { a: 1 } }]);
  });

  test("an empty object before the arguments is not the input", async () => {
    const plain = [pieces(head(0, "{}")), pieces(more(0, '{"a"')), pieces(more(0, ":1}"))];
    const spaced = [pieces(head(0)), pieces(more(0, "{ }")), pieces(more(0, ' {"a":1}'))];
    const repeated = [pieces(head(0, "{}")), pieces(head(0, '{"a":1}'))];
    for (const events of [plain, spaced, repeated]) {
      const { sink } = await play(openaiCalls, [...events, finish("tool_calls")]);
      expect(sink.calls).toEqual([read(0, { a: 1 })]);
    }
    const next = [pieces(head(0, "{}")), pieces(head(1, "{}")), finish("tool_calls")];
    const { sink, callsAt } = await play(openaiCalls, next);
    expect(sink.calls).toEqual([read(0, {}), read(1, {})]);
    expect(callsAt).toEqual([0, 1, 2]);
  });

  test("an empty object that a limit or the connection cuts off is not run", async () => {
    const limited = await play(openaiCalls, [pieces(head(0, "{}")), finish("length")]);
    const cut = await play(openaiCalls, [pieces(head(0, "{}"))], new Error("reset"));
    expect([limited.sink.calls, cut.sink.calls]).toEqual([[], []]);
  });

  test("a reason with every chunk: the call grows to the end of the stream", async () => {
    const early = (...entries: unknown[]): unknown => chunk({ tool_calls: entries }, "stop");
    const events = [early(head(0)), early(more(0, '{"a"')), early(more(0, ":1}")), early(head(1, "{"))];
    const { sink, callsAt } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([read(0, { a: 1 }), { id: "call_b", name: "Read", inputText: "{" }]);
    expect(callsAt).toEqual([0, 0, 1, 1]);
    expect(sink.endings).toEqual([{ ok: true }]);
  });

  test("a name in pieces, or all of it again, is one name", async () => {
    const name = (text: string): unknown => ({ index: 0, function: { name: text } });
    for (const names of [
      ["Re", "ad"],
      ["Re", "Read"],
      ["Read", "Read"],
    ]) {
      const [first, ...rest] = names.map((each, at) =>
        at === 0
          ? pieces({ ...(head(0) as object), function: { name: each, arguments: "" } })
          : pieces(name(each)),
      );
      const events = [first, ...rest, pieces(more(0, '{"a":1}')), finish("tool_calls")];
      expect((await play(openaiCalls, events)).sink.calls).toEqual([read(0, { a: 1 })]);
    }
    const both = [
      pieces({ index: 0, id: "call_a", function: { name: "Re", arguments: '{"a"' } }),
      pieces({ index: 0, function: { name: "ad", arguments: ":1}" } }),
    ];
    const { sink } = await play(openaiCalls, [...both, finish("tool_calls")]);
    expect(sink.calls).toEqual([read(0, { a: 1 })]);
  });

  test("an index or an id that counts the pieces: without a name they continue the last call", async () => {
    const byIndex = [pieces(head(0)), pieces(more(1, '{"a"')), pieces(more(2, ":1}"))];
    const withId = (index: number, json: string): unknown => ({
      ...(more(index, json) as object),
      id: "call_a",
    });
    const byIndexAndId = [pieces(head(0)), pieces(withId(1, '{"a"')), pieces(withId(2, ":1}"))];
    const byId = [
      pieces({ id: "call_a", function: { name: "Read", arguments: '{"a"' } }),
      pieces({ id: "call_x", function: { arguments: ":1}" } }),
    ];
    for (const events of [byIndex, byIndexAndId, byId]) {
      const { sink } = await play(openaiCalls, [...events, finish("tool_calls")]);
      expect(sink.calls).toEqual([read(0, { a: 1 })]);
    }
  });

  test("a new id and the name again with every piece: text that cannot begin an object continues one", async () => {
    const entry = (id: string, json: string): unknown => ({
      index: 0,
      id,
      function: { name: "Read", arguments: json },
    });
    const parts = [entry("a", '{"n":'), entry("b", "1}"), entry("c", '{"n":2'), entry("d", "}")];
    const { sink } = await play(openaiCalls, [...parts.map((part) => pieces(part)), finish("tool_calls")]);
    expect(sink.calls).toEqual([
      { id: "a", name: "Read", input: { n: 1 } },
      { id: "c", name: "Read", input: { n: 2 } },
    ]);
  });

  test("one entry in place of a list is a call", async () => {
    const events = [
      chunk({ tool_calls: head(0, '{"n":') }),
      chunk({ tool_calls: more(0, "1}") }),
      finish("stop"),
    ];
    const { sink } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([read(0, { n: 1 })]);
  });

  test("no index and no ids: pieces of calls that began together come in their order", async () => {
    const bare = (...texts: string[]): unknown =>
      pieces(...texts.map((text) => ({ function: { arguments: text } })));
    const both = pieces(named("Read", "", { id: "x" }), named("Glob", "", { id: "y" }));
    const { sink } = await play(openaiCalls, [
      both,
      bare('{"a":', '{"b":'),
      bare("1}", "2}"),
      pieces(named("Read", "", { id: "z" })),
      bare('{"c":3}'),
      finish("tool_calls"),
    ]);
    expect(sink.calls).toEqual([
      { id: "x", name: "Read", input: { a: 1 } },
      { id: "y", name: "Glob", input: { b: 2 } },
      { id: "z", name: "Read", input: { c: 3 } },
    ]);
  });

  test("line breaks and tabs in strings that are not escaped", async () => {
    const json = '{"text": "say \\"a\n\tb\\"",\n "n": 1}';
    const { sink } = await play(openaiCalls, [pieces(head(0, json)), finish("tool_calls")]);
    expect(sink.calls).toEqual([read(0, { text: 'say "a\n\tb"', n: 1 })]);
    const broken = '{"text": "a\nb"';
    const { sink: other } = await play(openaiCalls, [pieces(head(0, broken)), finish("tool_calls")]);
    expect(other.calls).toEqual([{ id: "call_a", name: "Read", inputText: broken }]);
  });

  test("A15: arguments for a call that has not begun end the stream with a protocol error", async () => {
    const events = [
      pieces(head(0, '{"a":1}')),
      pieces(more(5, "{}")),
      pieces(head(1, "{}")),
      finish("tool_calls"),
    ];
    const { sink, passed, error } = await play(openaiCalls, events);
    expect(error).toBeUndefined();
    expect(passed).toEqual(events);
    expect(sink.ids).toEqual(["call_a"]);
    expect(sink.endings).toEqual([
      { ok: false, reason: expect.stringContaining("protocol error: "), isMalformed: true },
    ]);
  });
});

test("A01: however the arguments of two calls are split and mixed, the calls are the same and in order", async () => {
  const anyInput = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
  const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(anyInput, anyInput),
      anyCuts,
      fc.array(fc.boolean()),
      async (inputs, cuts, order) => {
        const queues = inputs.map((input, index) =>
          cutAt(JSON.stringify(input), cuts).map((json) => pieces(more(index, json))),
        );
        const mixed = order.flatMap((isFirst) => queues[isFirst ? 0 : 1]?.splice(0, 1) ?? []);
        const events = [pieces(head(0), head(1)), ...mixed, ...queues.flat(), finish("tool_calls")];
        const { sink } = await play(openaiCalls, events);
        expect(sink.calls).toEqual(
          inputs.map((input, index) => read(index, JSON.parse(JSON.stringify(input)))),
        );
        expect(sink.endings).toEqual([{ ok: true }]);
      },
    ),
  );
});

test("A megabyte of arguments in pieces of 20 characters takes linear time", async () => {
  const json = JSON.stringify({ content: "x".repeat(1_000_000) });
  const parts = (json.match(/.{1,20}/gs) ?? []).map((part) => pieces(more(0, part)));
  const before = process.cpuUsage();
  const { sink } = await play(openaiCalls, [pieces(head(0)), ...parts, finish("tool_calls")]);
  expect(sink.calls).toEqual([read(0, JSON.parse(json))]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});
