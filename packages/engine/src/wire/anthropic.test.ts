import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutAt, play, Recording, streamOf } from "../../test/support/wire.ts";
import { anthropicCalls } from "./anthropic.ts";

const start = (id = "msg_1"): unknown => ({
  type: "message_start",
  message: { id, role: "assistant", content: [] },
});
const stop = { type: "message_stop" };
const ends = (stop_reason: string | null): unknown => ({
  type: "message_delta",
  delta: { stop_reason },
  usage: {},
});
const ping = { type: "ping" };

function block(index: number, content_block: unknown, ...deltas: unknown[]): unknown[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function text(index: number, ...pieces: string[]): unknown[] {
  return block(
    index,
    { type: "text", text: "" },
    ...pieces.map((piece) => ({ type: "text_delta", text: piece })),
  );
}

function call(index: number, ...pieces: string[]): unknown[] {
  const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return block(index, { type: "tool_use", id: `toolu_${index}`, name: "Read", input: {} }, ...deltas);
}

const read = (index: number, input: unknown): unknown => ({ id: `toolu_${index}`, name: "Read", input });

/** A response as the API sends it: some words, two calls. */
const RESPONSE = [
  start(),
  ping,
  ...text(0, "I will ", "look."),
  ...call(1, "", '{"file_', 'path": "a.ts"}'),
  ...call(2, '{"file_path"', ': "b.ts"}'),
  ends("tool_use"),
  stop,
];

describe("a response that ends well", () => {
  test("adds its calls in order and ends once", async () => {
    const { sink } = await play(anthropicCalls, RESPONSE);
    expect(sink.calls).toEqual([read(1, { file_path: "a.ts" }), read(2, { file_path: "b.ts" })]);
    expect(sink.endings).toEqual([{ ok: true }]);
  });

  test("passes the same events on in order, and adds each call before its stop event", async () => {
    const { passed, callsAt } = await play(anthropicCalls, RESPONSE);
    expect(passed.length).toBe(RESPONSE.length);
    passed.forEach((event, at) => expect(event).toBe(RESPONSE[at]));
    expect(callsAt).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]);
  });

  test("reports arriving calls with a preview that is parsed on demand", async () => {
    const { sink } = await play(anthropicCalls, RESPONSE.slice(0, 9));
    expect(sink.arrived.map(({ id, name, delta, length }) => [id, name, delta, length])).toEqual([
      ["toolu_1", "Read", "", 0],
      ["toolu_1", "Read", "", 0],
      ["toolu_1", "Read", '{"file_', 7],
    ]);
    expect(sink.arrived[0]?.preview()).toEqual({});
  });

  test("B09: adds a call that is followed by text, and one before end_turn", async () => {
    const events = [start(), ...call(0, "{}"), ...text(1, "Done."), ends("end_turn"), stop];
    const { sink } = await play(anthropicCalls, events);
    expect(sink.ids).toEqual(["toolu_0"]);
    expect(sink.endings).toEqual([{ ok: true }]);
  });

  test("ends normally if the stop reason arrived and only message_stop is missing", async () => {
    const { sink } = await play(anthropicCalls, RESPONSE.slice(0, -1));
    expect(sink.endings).toEqual([{ ok: true }]);
  });

  test("B10: pause_turn ends normally, and server tools are not added as calls", async () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const other = { type: "mcp_tool_use", id: "mcptoolu_1", name: "x", input: {} };
    const delta = { type: "input_json_delta", partial_json: '{"query":"x"}' };
    const events = [
      start(),
      ...block(0, search, delta),
      ...block(1, other),
      ...call(2, "{}"),
      ends("pause_turn"),
      stop,
    ];
    const { sink } = await play(anthropicCalls, events);
    expect(sink.ids).toEqual(["toolu_2"]);
    expect(sink.endings).toEqual([{ ok: true }]);
  });

  test("accepts an input that arrives with the start of its block", async () => {
    const whole = { type: "tool_use", id: "toolu_0", name: "Read", input: { file_path: "a.ts" } };
    const { sink, callsAt } = await play(anthropicCalls, [
      start(),
      ...block(0, whole),
      ends("max_tokens"),
      stop,
    ]);
    expect(sink.calls).toEqual([read(0, { file_path: "a.ts" })]);
    expect(callsAt).toEqual([0, 0, 1, 1, 1]);
  });

  test("passes on events of unknown types, and values that are not events", async () => {
    const odd = [null, 7, {}, { type: "new_thing", index: 4 }, { type: "message_delta" }];
    const [first, ...others] = RESPONSE;
    const events = [...odd, first, "x", ...others];
    const { passed, sink } = await play(anthropicCalls, events);
    expect(passed).toEqual(events);
    expect(sink.endings).toEqual([{ ok: true }]);
  });
});

describe("a call whose input is empty or does not parse", () => {
  test.each([[[]], [[""]], [["", " "]]])("B03: means {} when its text is %j", async (pieces) => {
    const { sink } = await play(anthropicCalls, [start(), ...call(0, ...pieces), ends("tool_use"), stop]);
    expect(sink.calls).toEqual([read(0, {})]);
  });

  test("B02: is added as text if the response was not cut off", async () => {
    const { sink } = await play(anthropicCalls, [start(), ...call(0, '{"a":'), ends("tool_use"), stop]);
    expect(sink.calls).toEqual([{ id: "toolu_0", name: "Read", inputText: '{"a":' }]);
  });

  test.each(["max_tokens", "model_context_window_exceeded", "refusal"])(
    "B01: is dropped without trace when it is the last and the stop reason is %s",
    async (reason) => {
      for (const pieces of [[], ['{"path":"REA']]) {
        const events = [start(), ...call(0, '{"a":1}'), ...call(1, ...pieces), ends(reason), stop];
        const { sink } = await play(anthropicCalls, events);
        expect(sink.calls).toEqual([read(0, { a: 1 })]);
        expect(sink.endings).toHaveLength(1);
      }
    },
  );

  test("B01: is added when a later block begins, whatever the stop reason, because it was not cut off", async () => {
    const events = [start(), ...call(0), ...call(1, '{"a":'), ...text(2, "and th"), ends("max_tokens"), stop];
    const { sink, callsAt } = await play(anthropicCalls, events);
    expect(sink.calls).toEqual([read(0, {}), { id: "toolu_1", name: "Read", inputText: '{"a":' }]);
    expect(callsAt.slice(0, 8)).toEqual([0, 0, 0, 1, 1, 1, 2, 2]);
  });

  test("B01: a complete call is kept if max_tokens follows", async () => {
    const { sink, callsAt } = await play(anthropicCalls, [
      start(),
      ...call(0, '{"a":1}'),
      ends("max_tokens"),
      stop,
    ]);
    expect(sink.calls).toEqual([read(0, { a: 1 })]);
    expect(callsAt).toEqual([0, 0, 0, 1, 1, 1]);
    expect(sink.endings).toEqual([{ ok: true }]);
  });

  test("is dropped if the connection is cut before the stop reason is known", async () => {
    const { sink } = await play(anthropicCalls, [start(), ...call(0, '{"a":1}'), ...call(1)]);
    expect(sink.ids).toEqual(["toolu_0"]);
  });

  test("JSON that is not an object is passed on, so that validation reports it", async () => {
    const { sink } = await play(anthropicCalls, [start(), ...call(0, "[1]"), ends("tool_use"), stop]);
    expect(sink.calls).toEqual([read(0, [1])]);
  });
});

describe("a response that ends badly", () => {
  test("A06: a complete call is kept if the connection is cut after it", async () => {
    const { sink } = await play(anthropicCalls, RESPONSE.slice(0, 11));
    expect(sink.calls).toEqual([read(1, { file_path: "a.ts" })]);
    expect(sink.endings).toEqual([{ ok: false, reason: "the connection was cut" }]);
  });

  test("A07: if the stream is cut after any event, no incomplete call is added, and the end is reported once", async () => {
    for (let length = 0; length < RESPONSE.length; length += 1) {
      for (const error of [undefined, new Error("reset")]) {
        const events = RESPONSE.slice(0, length);
        const { sink, passed, error: thrown } = await play(anthropicCalls, events, error);
        expect(passed).toEqual(events);
        expect(thrown).toBe(error);
        expect(sink.ids).toEqual(
          ["toolu_1", "toolu_2"].slice(0, [11, 15].filter((end) => length >= end).length),
        );
        const isKnown = length === RESPONSE.length - 1;
        const reason = error ? "the connection was cut: reset" : "the connection was cut";
        expect(sink.endings).toEqual([isKnown && !error ? { ok: true } : { ok: false, reason }]);
      }
    }
  });

  test("A09: an error event ends the stream, is passed on, and keeps the calls before it", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const { sink, passed } = await play(anthropicCalls, [start(), ...call(0, "{}"), error]);
    expect(sink.endings).toEqual([{ ok: false, reason: "overloaded_error: Overloaded" }]);
    expect(sink.ids).toEqual(["toolu_0"]);
    expect(passed.at(-1)).toBe(error);
  });

  test("B11: a refusal is reported as such", async () => {
    const { sink } = await play(anthropicCalls, [start(), ...call(0, "{}"), ends("refusal"), stop]);
    expect(sink.endings).toEqual([{ ok: false, reason: "refusal" }]);
  });

  test("a consumer that leaves ends the stream, and the source is closed", async () => {
    const sink = new Recording();
    let isClosed = false;
    async function* source(): AsyncGenerator {
      try {
        yield* RESPONSE;
      } finally {
        isClosed = true;
      }
    }
    for await (const event of anthropicCalls(source(), sink)) if (event === RESPONSE[11]) break;
    expect(isClosed).toBe(true);
    expect(sink.ids).toEqual(["toolu_1"]);
    expect(sink.endings).toEqual([{ ok: false, reason: "the response was not read to its end" }]);
  });

  test("leaving before the first event, or while the source hangs, ends the stream too", async () => {
    const unread = new Recording();
    await anthropicCalls(streamOf(RESPONSE), unread).return?.();
    const hanging = new Recording();
    const source = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<unknown>>(() => {}) }),
    };
    const events = anthropicCalls(source, hanging);
    void events.next();
    await events.return?.();
    for (const { endings } of [unread, hanging]) {
      expect(endings).toEqual([{ ok: false, reason: "the response was not read to its end" }]);
    }
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});

describe("a stream that breaks the protocol", () => {
  test("A14: a second copy of the message adds no calls", async () => {
    for (const first of [RESPONSE, RESPONSE.slice(0, 12)]) {
      const { sink, passed } = await play(anthropicCalls, [...first, ...RESPONSE]);
      expect(passed).toEqual([...first, ...RESPONSE]);
      const isWhole = first === RESPONSE;
      expect(sink.ids).toEqual(isWhole ? ["toolu_1", "toolu_2"] : ["toolu_1"]);
      expect(sink.endings).toEqual([
        isWhole ? { ok: true } : { ok: false, reason: "the connection was cut" },
      ]);
    }
  });

  test("A14: a repeated message_start does not lose the message", async () => {
    const { sink } = await play(anthropicCalls, [start(), ...RESPONSE]);
    expect(sink.ids).toEqual(["toolu_1", "toolu_2"]);
    expect(sink.endings).toEqual([{ ok: true }]);
  });

  const broken: [what: string, event: unknown][] = [
    ["a second message begins", start("msg_2")],
    ["a delta for content block 7", { type: "content_block_delta", index: 7, delta: { type: "text_delta" } }],
    ["a delta for content block undefined", { type: "content_block_delta", delta: { type: "text_delta" } }],
    [
      "content block 0 began twice",
      { type: "content_block_start", index: 0, content_block: { type: "text" } },
    ],
    [
      "began without an index",
      { type: "content_block_start", index: "first", content_block: { type: "text" } },
    ],
  ];
  test.each(broken)(
    "A15: %s ends the stream with a protocol error and keeps the complete calls",
    async (what, event) => {
      const events = [start(), ...call(0, '{"a":1}'), event, ...call(1, "{}"), ends("tool_use"), stop];
      const { sink, passed, error } = await play(anthropicCalls, events);
      expect(error).toBeUndefined();
      expect(passed).toEqual(events);
      expect(sink.calls).toEqual([read(0, { a: 1 })]);
      expect(sink.endings).toEqual([
        { ok: false, reason: expect.stringContaining("protocol error: "), isMalformed: true },
      ]);
      expect(sink.endings[0]?.reason).toContain(what.replace("begins", "began"));
    },
  );

  test("A15: a call without input whose end is not reported is whole if the response ends properly", async () => {
    const begun = call(0).slice(0, 1);
    expect((await play(anthropicCalls, [start(), ...begun, ends("tool_use"), stop])).sink.calls).toEqual([
      read(0, {}),
    ]);
    const cut = await play(anthropicCalls, [start(), ...begun, ends("max_tokens"), stop]);
    expect(cut.sink.calls).toEqual([]);
  });

  test("A15: text for a block that has ended is passed on, and more input for a call that has ended is an error", async () => {
    const late = (delta: object) => ({ type: "content_block_delta", index: 0, delta });
    const around = (event: unknown) => [
      start(),
      ...call(0, '{"a":1}'),
      event,
      ...call(1, "{}"),
      ends("tool_use"),
      stop,
    ];
    const words = await play(anthropicCalls, around(late({ type: "text_delta", text: "x" })));
    expect(words.sink.ids).toEqual(["toolu_0", "toolu_1"]);
    expect(words.sink.endings).toEqual([{ ok: true }]);
    const input = await play(anthropicCalls, around(late({ type: "input_json_delta", partial_json: "x" })));
    expect(input.sink.ids).toEqual(["toolu_0"]);
    expect(input.sink.endings).toMatchObject([{ ok: false, isMalformed: true }]);
  });

  test("A15: gateways that leave the index out, or report the end of a block twice", async () => {
    const bare = [...call(0, '{"a":1}'), ...call(1, '{"b":2}')].map((event) => {
      const { index: _index, ...rest } = event as { index: number };
      return rest;
    });
    const twice = [...call(0, '{"a":1}'), { type: "content_block_stop", index: 0 }, ...call(1, '{"b":2}')];
    for (const events of [bare, twice]) {
      const { sink } = await play(anthropicCalls, [start(), ...events, ends("tool_use"), stop]);
      expect(sink.calls).toEqual([read(0, { a: 1 }), read(1, { b: 2 })]);
      expect(sink.endings).toEqual([{ ok: true }]);
    }
  });

  test("an empty object before the input is not the input", async () => {
    const { sink } = await play(anthropicCalls, [
      start(),
      ...call(0, "{}", '{"a"', ":1}"),
      ends("tool_use"),
      stop,
    ]);
    expect(sink.calls).toEqual([read(0, { a: 1 })]);
  });

  test("A15: a complete call waits for a lower index that has not begun, and is added at the end if it never does", async () => {
    const late = [start(), ...call(1, "{}"), ...call(0, '{"a":1}'), ends("tool_use"), stop];
    expect((await play(anthropicCalls, late)).callsAt).toEqual([0, 0, 0, 0, 0, 0, 2, 2, 2]);
    const never = [start(), ...call(3, '{"a":3}'), ...call(2, '{"a":2}'), ends("tool_use"), stop];
    const { sink } = await play(anthropicCalls, never);
    expect(sink.ids).toEqual(["toolu_2", "toolu_3"]);
  });
});

const anyInput = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

test("A01: however the JSON is split into deltas, the call is the same", async () => {
  await fc.assert(
    fc.asyncProperty(anyInput, anyCuts, async (input, cuts) => {
      const json = JSON.stringify(input);
      const { sink } = await play(anthropicCalls, [
        start(),
        ...call(0, ...cutAt(json, cuts)),
        ends("tool_use"),
        stop,
      ]);
      expect(sink.calls).toEqual([read(0, JSON.parse(json))]);
    }),
  );
});

/** Mixes the queues, each in its own order, as the choices say. */
function interleave(queues: readonly (readonly unknown[])[], choices: readonly number[]): unknown[] {
  const rest = queues.map((queue) => [...queue]).filter((queue) => queue.length > 0);
  const mixed: unknown[] = [];
  for (let turn = 0; rest.length > 0; turn += 1) {
    const at = (choices[turn % choices.length] ?? 0) % rest.length;
    mixed.push(rest[at]?.shift());
    if (rest[at]?.length === 0) rest.splice(at, 1);
  }
  return mixed;
}

test("A15: however blocks are interleaved and wherever the stream is cut, only complete calls are added, in order", async () => {
  const anyBlock = fc.oneof(
    fc.constant(undefined),
    fc.tuple(fc.constantFrom("{}", '{"a":1}', "", '{"a":'), anyCuts).map(([json, cuts]) => cutAt(json, cuts)),
  );
  const choices = fc.array(fc.nat(5), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyBlock, { maxLength: 5 }),
      choices,
      fc.nat(60),
      async (blocks, order, length) => {
        const queues = blocks.map((pieces, index) =>
          pieces === undefined ? text(index, "x") : call(index, ...pieces),
        );
        const whole = [start(), ...interleave(queues, order), ends("tool_use"), stop];
        const expected = blocks.flatMap((pieces, index) => (pieces === undefined ? [] : [`toolu_${index}`]));
        expect((await play(anthropicCalls, whole)).sink.ids).toEqual(expected);
        const cut = whole.slice(0, length);
        const { sink } = await play(anthropicCalls, cut);
        const places = sink.ids.map((id) => expected.indexOf(id));
        expect(places).toEqual([...places].sort((one, other) => one - other));
        for (const id of sink.ids) {
          expect(cut).toContainEqual({
            type: "content_block_stop",
            index: Number(id.slice("toolu_".length)),
          });
        }
        expect(sink.endings).toHaveLength(1);
      },
    ),
  );
});

test("B01: max_tokens after any delta adds only calls with complete JSON", async () => {
  const json = '{"path":"a","deep":{"n":[1,2]}}';
  for (let length = 0; length <= json.length; length += 1) {
    const events = [
      start(),
      ...call(0, "{}"),
      ...call(1, ...json.slice(0, length)),
      ends("max_tokens"),
      stop,
    ];
    const { sink } = await play(anthropicCalls, events);
    expect(sink.ids).toEqual(length === json.length ? ["toolu_0", "toolu_1"] : ["toolu_0"]);
    expect(sink.endings).toEqual([{ ok: true }]);
  }
});

test("A megabyte of input in pieces of 20 characters takes linear time", async () => {
  const json = JSON.stringify({ content: "x".repeat(1_000_000) });
  const pieces = json.match(/.{1,20}/gs) ?? [];
  const before = process.cpuUsage();
  const { sink } = await play(anthropicCalls, [start(), ...call(0, ...pieces), ends("tool_use"), stop]);
  expect(sink.calls).toEqual([read(0, JSON.parse(json))]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});
