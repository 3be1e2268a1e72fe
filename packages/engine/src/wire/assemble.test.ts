import { expect, test } from "vitest";
import { Recording } from "../../test/support/wire.ts";
import { createAnthropicReader } from "./anthropic.ts";
import { Assembly, LEFT } from "./assemble.ts";

function begun(...ids: string[]): {
  sink: Recording;
  assembly: Assembly;
  drafts: ReturnType<Assembly["begin"]>[];
} {
  const sink = new Recording();
  const assembly = new Assembly(sink);
  return { sink, assembly, drafts: ids.map((id, index) => assembly.begin(index, id, "Read")) };
}

test("A call is added when it and every call before it is complete", () => {
  const { sink, assembly, drafts } = begun("a", "b", "c");
  const [a, b, c] = drafts;
  if (!a || !b || !c) throw new Error("three calls");
  assembly.complete(c);
  assembly.complete(a);
  expect(sink.ids).toEqual(["a"]);
  assembly.complete(b);
  expect(sink.ids).toEqual(["a", "b", "c"]);
});

test("V3: an undecided call holds the later ones, and is added when a later one is complete", () => {
  const { sink, assembly, drafts } = begun("a", "b");
  const [a, b] = drafts;
  if (!a || !b) throw new Error("two calls");
  assembly.settle(a);
  assembly.push(b, "{}");
  expect(sink.ids).toEqual([]);
  assembly.settle(b);
  expect(sink.ids).toEqual(["a", "b"]);
});

test("V3: an earlier call that is completed later does not decide about an undecided one", () => {
  const { sink, assembly, drafts } = begun("a", "b");
  const [a, b] = drafts;
  if (!a || !b) throw new Error("two calls");
  assembly.settle(b);
  assembly.push(a, '{"n":1}');
  assembly.settle(a);
  assembly.announce({ ok: true }, true);
  assembly.finish();
  expect(sink.ids).toEqual(["a"]);
});

test("An undecided call that gets more text is open again", () => {
  const { sink, assembly, drafts } = begun("a");
  const [a] = drafts;
  if (!a) throw new Error("one call");
  assembly.doubt(a);
  assembly.push(a, '{"n"');
  assembly.liftDoubts();
  expect(sink.ids).toEqual([]);
  assembly.push(a, ":1}");
  assembly.settle(a);
  expect(sink.calls).toEqual([{ id: "a", name: "Read", input: { n: 1 } }]);
});

test("The end is reported once, whatever happens after it", () => {
  const { sink, assembly } = begun("a");
  assembly.fail("first");
  assembly.finish();
  assembly.finish(LEFT);
  assembly.fail("second");
  expect(sink.endings).toEqual([{ ok: false, reason: "first" }]);
});

test("A sink without a listener for arriving calls is not called", () => {
  const calls: unknown[] = [];
  const assembly = new Assembly({ add: (call) => calls.push(call) > 0, end: () => {} });
  assembly.complete(assembly.begin(0, "a", "Read"));
  expect(calls).toEqual([{ id: "a", name: "Read", input: {} }]);
});

test("A call whose end is reported after the stop reason is added once", () => {
  for (let response = 0; response < 2; response++) {
    const sink = new Recording();
    const reader = createAnthropicReader(sink);
    const call = { type: "tool_use", id: "a", name: "Read", input: {} };
    const delta = { type: "input_json_delta", partial_json: '{"path":"a.ts"}' };
    reader.take({ type: "message_start", message: { id: "m" } });
    reader.take({ type: "content_block_start", index: 0, content_block: call });
    reader.take({ type: "content_block_delta", index: 0, delta });
    reader.take({ type: "message_delta", delta: { stop_reason: "tool_use" } });
    reader.take({ type: "content_block_stop", index: 0 });
    reader.take({ type: "message_stop" });
    reader.finish();
    expect(sink.calls).toEqual([{ id: "a", name: "Read", input: { path: "a.ts" } }]);
    expect(sink.endings).toEqual([{ ok: true }]);
  }
});

test("Indices with gaps, in any order, are added in their order when the response ends", () => {
  const sink = new Recording();
  const assembly = new Assembly(sink);
  assembly.skip(0);
  const drafts = [7, 2, 1].map((index) => assembly.begin(index, `call_${index}`, "Read"));
  for (const draft of drafts) assembly.complete(draft);
  expect(sink.ids).toEqual(["call_1", "call_2"]);
  expect([0, 1, 2, 3, 7].map((index) => assembly.has(index))).toEqual([true, true, true, false, true]);
  expect([assembly.size, assembly.nextIndex]).toEqual([4, 8]);
  assembly.finish();
  expect(sink.ids).toEqual(["call_1", "call_2", "call_7"]);
});
