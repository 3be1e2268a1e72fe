import { describe, expect, test } from "vitest";
import { play } from "../../test/support/wire.ts";
import { openaiCalls } from "./openai.ts";

const added = (output_index: number, item: unknown): unknown => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const itemDone = (output_index: number, item: unknown): unknown => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const item = (index: number, json: string, status: string): unknown => ({
  type: "function_call",
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: "Read",
  arguments: json,
  status,
});

function delta(output_index: number, piece: string): unknown {
  return {
    type: "response.function_call_arguments.delta",
    output_index,
    item_id: `fc_${output_index}`,
    delta: piece,
  };
}

function argumentsDone(output_index: number, json: string): unknown {
  return {
    type: "response.function_call_arguments.done",
    output_index,
    item_id: `fc_${output_index}`,
    arguments: json,
  };
}

function call(index: number, ...parts: string[]): unknown[] {
  const json = parts.join("");
  return [
    added(index, item(index, "", "in_progress")),
    ...parts.map((part) => delta(index, part)),
    argumentsDone(index, json),
    itemDone(index, item(index, json, "completed")),
  ];
}

function message(index: number): unknown[] {
  return [
    added(index, { type: "message", id: "msg_1", content: [] }),
    { type: "response.output_text.delta", output_index: index, delta: "I will look." },
    itemDone(index, { type: "message", id: "msg_1", content: [] }),
  ];
}

const created = { type: "response.created", response: { id: "resp_1" } };
const completed = { type: "response.completed", response: { id: "resp_1", status: "completed" } };
const incomplete = (reason: string): unknown => ({
  type: "response.incomplete",
  response: { incomplete_details: { reason } },
});
const read = (index: number, input: unknown): unknown => ({ id: `call_${index}`, name: "Read", input });

const RESPONSE = [
  created,
  ...message(0),
  ...call(1, '{"file_', 'path":"a"}'),
  ...call(2, '{"file_path":"b"}'),
  completed,
];

describe("a response in events", () => {
  test("adds each call when its arguments are done, and passes every event on", async () => {
    const { sink, passed, callsAt } = await play(openaiCalls, RESPONSE);
    expect(sink.calls).toEqual([read(1, { file_path: "a" }), read(2, { file_path: "b" })]);
    expect(callsAt).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]);
    expect(sink.endings).toEqual([{ ok: true }]);
    passed.forEach((event, at) => expect(event).toBe(RESPONSE[at]));
  });

  test("A06, A07: if the stream is cut after any event, only complete calls are added and the end is reported once", async () => {
    for (let length = 0; length < RESPONSE.length; length += 1) {
      const { sink } = await play(openaiCalls, RESPONSE.slice(0, length));
      expect(sink.ids).toEqual(["call_1", "call_2"].slice(0, [8, 12].filter((end) => length >= end).length));
      expect(sink.endings).toEqual([{ ok: false, reason: "the connection was cut" }]);
    }
  });

  test("B03: no arguments mean {} once the item is complete", async () => {
    const { sink, callsAt } = await play(openaiCalls, [created, ...call(0), completed]);
    expect(sink.calls).toEqual([read(0, {})]);
    expect(callsAt).toEqual([0, 0, 0, 1, 1]);
  });

  test("accepts arguments that arrive only with the end of the item, and items that never end", async () => {
    const events = [
      added(0, item(0, "", "in_progress")),
      itemDone(0, item(0, '{"a":0}', "completed")),
      added(1, item(1, "", "in_progress")),
      delta(1, '{"a":1}'),
      completed,
    ];
    const { sink } = await play(openaiCalls, events);
    expect(sink.calls).toEqual([read(0, { a: 0 }), read(1, { a: 1 })]);
  });

  test("B02: arguments that do not parse are added as text", async () => {
    const { sink } = await play(openaiCalls, [...call(0, '{"a":'), completed]);
    expect(sink.calls).toEqual([{ id: "call_0", name: "Read", inputText: '{"a":' }]);
  });

  test("B01: max_output_tokens drops the call that was cut off, however its end is reported", async () => {
    const cut = '{"path":"REA';
    const begun = [...call(0, "{}"), added(1, item(1, "", "in_progress")), delta(1, cut)];
    for (const rest of [
      [],
      [argumentsDone(1, cut)],
      [argumentsDone(1, cut), itemDone(1, item(1, cut, "incomplete"))],
    ]) {
      const { sink } = await play(openaiCalls, [...begun, ...rest, incomplete("max_output_tokens")]);
      expect(sink.calls).toEqual([read(0, {})]);
      expect(sink.endings).toEqual([{ ok: true }]);
    }
  });

  test("B01: an item with the status incomplete is dropped, whatever follows", async () => {
    const cut = [added(0, item(0, "", "in_progress")), itemDone(0, item(0, "{", "incomplete"))];
    const { sink } = await play(openaiCalls, [...cut, ...message(1), incomplete("max_output_tokens")]);
    expect(sink.calls).toEqual([]);
  });

  test("B11: content_filter is a refusal; a refusal as text is only text", async () => {
    const filtered = await play(openaiCalls, [...call(0, "{}"), incomplete("content_filter")]);
    expect(filtered.sink.endings).toEqual([{ ok: false, reason: "refusal" }]);
    const inWords = { type: "response.refusal.done", output_index: 0, refusal: "I cannot" };
    const words = await play(openaiCalls, [...message(0), inWords, completed]);
    expect(words.sink.endings).toEqual([{ ok: true }]);
  });

  test.each([
    [
      { type: "response.failed", response: { error: { code: "server_error", message: "down" } } },
      "server_error: down",
    ],
    [{ type: "error", code: "rate_limit", message: "slow down" }, "rate_limit: slow down"],
    [{ type: "error", error: { type: "overloaded", message: "busy" } }, "overloaded: busy"],
  ])("A09: %j ends it and keeps whole calls", async (event, reason) => {
    const { sink } = await play(openaiCalls, [...call(0, "{}"), event]);
    expect(sink.ids).toEqual(["call_0"]);
    expect(sink.endings).toEqual([{ ok: false, reason }]);
  });

  test("A15: items that arrive out of order are added in the order of their index", async () => {
    const { sink } = await play(openaiCalls, [...call(1, '{"a":1}'), ...call(0, '{"a":0}'), completed]);
    expect(sink.ids).toEqual(["call_0", "call_1"]);
  });

  test("an item that begins twice, and an index that is used twice, lose no call and add none", async () => {
    for (const event of [added(0, item(0, "", "in_progress")), added(-1, {})]) {
      const { sink } = await play(openaiCalls, [...call(0, "{}"), event, ...call(1, "{}"), completed]);
      expect(sink.ids).toEqual(["call_0", "call_1"]);
      expect(sink.endings).toEqual([{ ok: true }]);
    }
    const first = call(1, '{"a":1}').map((event) => ({ ...(event as object), output_index: 0 }));
    const { sink } = await play(openaiCalls, [...call(0, '{"a":0}'), ...first, completed]);
    expect(sink.calls).toMatchObject([{ input: { a: 0 } }, { input: { a: 1 } }]);
  });

  test.each([[delta(7, "{}")], [argumentsDone(7, "{}")]])(
    "A15: %j breaks the protocol and is a clean failure",
    async (event) => {
      const { sink, error } = await play(openaiCalls, [...call(0, "{}"), event, ...call(1, "{}"), completed]);
      expect(error).toBeUndefined();
      expect(sink.ids).toEqual(["call_0"]);
      expect(sink.endings).toEqual([
        { ok: false, reason: expect.stringContaining("protocol error: "), isMalformed: true },
      ]);
    },
  );
});
