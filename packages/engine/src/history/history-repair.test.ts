import fc from "fast-check";
import { expect, test } from "vitest";
import { answer, ask, assistant, use, user, words } from "../../test/support/history.ts";
import { checkHistory, type HistoryBlock, type HistoryMessage, repairHistory } from "./history.ts";

const notKnown = (id: string): HistoryBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: "Outcome unknown: no result of this call was recorded. It may have run.",
  is_error: true,
});

function repaired(...messages: HistoryMessage[]): HistoryMessage[] {
  return repairHistory(messages).messages;
}

test("A valid history is returned as the same messages", () => {
  const messages = [
    ask,
    assistant(words("x"), use("a")),
    user(answer("a"), words("y")),
    assistant(words("z")),
  ];
  const { messages: after, repairs } = repairHistory(messages);
  expect(repairs).toEqual([]);
  after.forEach((message, at) => expect(message).toBe(messages[at]));
});

test("V1: a missing result is inserted at the position of its call", () => {
  expect(repaired(ask, assistant(use("a"), use("b")), user(answer("b"), words("x")))).toEqual([
    ask,
    assistant(use("a"), use("b")),
    user(notKnown("a"), answer("b"), words("x")),
  ]);
  expect(repaired(ask, assistant(use("a")), ask)).toEqual([
    ask,
    assistant(use("a")),
    user(notKnown("a"), words("hi")),
  ]);
});

test("V1: calls that are followed by an assistant message, or by nothing, get a new user message", () => {
  expect(repaired(ask, assistant(use("a")), assistant(use("b")))).toEqual([
    ask,
    assistant(use("a")),
    user(notKnown("a")),
    assistant(use("b")),
    user(notKnown("b")),
  ]);
});

test("V1: results that come too late, but before the next assistant message, are moved", () => {
  expect(
    repaired(ask, assistant(use("a")), assistant(use("b")), user(words("x")), user(answer("b"), answer("a"))),
  ).toEqual([
    ask,
    assistant(use("a")),
    user(answer("a")),
    assistant(use("b")),
    user(answer("b"), words("x")),
  ]);
});

test("V1: orphan and duplicate results are dropped and reported, and the first one is kept", () => {
  const { messages, repairs } = repairHistory([
    user(answer("x")),
    assistant(use("a")),
    user(answer("a", "one"), answer("a", "two"), answer("y")),
  ]);
  expect(messages).toEqual([
    { role: "user", content: "(The beginning of this conversation was not recorded.)" },
    assistant(use("a")),
    user(answer("a", "one")),
  ]);
  expect(repairs).toEqual([
    "message 0: a result for x was removed: no call with that id is missing a result",
    "message 2: a result for a was removed: no call with that id is missing a result",
    "message 2: a result for y was removed: no call with that id is missing a result",
    "message 0: removed, it had no content",
    "the first message was not a user message, so one was inserted before it",
  ]);
});

test("V1: results are moved to the start, in the order of the calls", () => {
  const { messages, repairs } = repairHistory([
    ask,
    assistant(use("a"), use("b")),
    user(words("x"), answer("b"), answer("a")),
  ]);
  expect(messages[2]).toEqual(user(answer("a"), answer("b"), words("x")));
  expect(repairs).toEqual([
    "message 2: results were moved to the start of the message, in the order of their calls",
  ]);
});

test("B05: the second call with the same id gets a new id, and so does its result", () => {
  expect(
    repaired(
      ask,
      assistant(use("a"), use("a"), use("a_2")),
      user(answer("a", 1), answer("a", 2), answer("a_2")),
    ),
  ).toEqual([
    ask,
    assistant(use("a"), use("a_3"), use("a_2")),
    user(answer("a", 1), answer("a_3", 2), answer("a_2")),
  ]);
});

test("B06: an id that an earlier turn used is replaced in the call and its result", () => {
  const turn = [assistant(use("a")), user(answer("a"))];
  expect(repaired(ask, ...turn, ...turn)).toEqual([ask, ...turn, assistant(use("a_2")), user(answer("a_2"))]);
});

test("B10: a user's text next to an unfinished server tool moves to a separate message", () => {
  const server = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
  expect(repaired(ask, assistant(server, use("a")), user(answer("a"), words("x")))).toEqual([
    ask,
    assistant(server, use("a")),
    user(answer("a")),
    user(words("x")),
  ]);
});

test("B04: an input that is not an object is wrapped in one", () => {
  const messages = [ask, assistant(use("a", "{oops"), use("b", null)), user(answer("a"), answer("b"))];
  expect(repaired(...messages)[1]).toEqual(assistant(use("a", { INVALID_JSON: "{oops" }), use("b", {})));
});

test("Empty texts and messages are removed; an empty last assistant message stays", () => {
  const { messages } = repairHistory([
    ask,
    assistant(words("")),
    { role: "user", content: "" },
    assistant(use("a"), words(" ")),
    user(answer("a", [words(""), words("x")])),
    assistant(),
  ]);
  expect(messages).toEqual([ask, assistant(use("a")), user(answer("a", [words("x")])), assistant()]);
});

test("B14, V8: unpaired surrogates are replaced everywhere", () => {
  const input = { "\ud83d": ["\udc00", { x: "a\ud83d" }], fine: 1 };
  expect(
    repaired({ role: "user", content: "\ud83dhi" }, assistant(use("a", input)), user(answer("a", "\udfff"))),
  ).toEqual([
    { role: "user", content: "\ufffdhi" },
    assistant(use("a", { "\ufffd": ["\ufffd", { x: "a\ufffd" }], fine: 1 })),
    user(answer("a", "\ufffd")),
  ]);
});

test("B15: thinking blocks are the same objects, in the same order, whatever is repaired around them", () => {
  const thinking = { type: "thinking", thinking: "\ud83d", signature: "s" };
  const redacted = { type: "redacted_thinking", data: "" };
  const [, after] = repaired(ask, assistant(thinking, words(""), use("a", 5), redacted));
  expect(after?.content[0]).toBe(thinking);
  expect(after?.content[2]).toBe(redacted);
});

test("Deep nesting does not overflow", () => {
  let input: unknown = "\ud83d";
  for (let depth = 0; depth < 100_000; depth += 1) input = { input };
  expect(repairHistory([ask, assistant(use("a", input)), user(answer("a"))]).repairs).toHaveLength(1);
});

const anyId = fc.constantFrom("a", "b", "c", "a_2", "\ud83d", "", undefined, 7);
const anyText = fc.constantFrom("", " ", "x", "\ud83d", "y\udc00");
const anyTextBlock = anyText.map((text) => words(text));
const anyBlock: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyId, fc.constantFrom({}, { x: "\ud83d" }, [], "x", null))
      .map(([id, input]) => use(id, input)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyId, fc.oneof(anyText, fc.array(anyTextBlock), fc.constant([null])))
      .map(([id, content]) => answer(id, content)),
  },
  { weight: 2, arbitrary: anyTextBlock },
  fc.constant({ type: "thinking", thinking: "\ud83d", signature: "s" }),
  fc.constant({ type: "redacted_thinking", data: "\udc00" }),
  anyId.map((id) => ({ type: "server_tool_use", id, name: "web_search", input: {} })),
  anyId.map((id) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] })),
  fc.constantFrom(null, 5, {}, { text: "x" }),
);
const anyHistory = fc.array(
  fc.record({
    role: fc.constantFrom("user" as const, "assistant" as const),
    content: fc.oneof(anyText, fc.array(anyBlock as fc.Arbitrary<HistoryBlock>, { maxLength: 6 })),
  }),
  { maxLength: 8 },
);

const blocksIn = (messages: readonly HistoryMessage[]): unknown[] =>
  messages.flatMap(({ content }) => [...content]);
const thinkingIn = (messages: readonly HistoryMessage[]): unknown[] =>
  blocksIn(messages).filter((block) => /thinking/.test(JSON.stringify(block) ?? ""));

test("V1: every broken history becomes valid, and repairing it again changes nothing", () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const before = JSON.stringify(history);
      const { messages, repairs } = repairHistory(history);
      expect(checkHistory(messages)).toEqual([]);
      const again = repairHistory(messages);
      expect(again.repairs).toEqual([]);
      again.messages.forEach((message, at) => expect(message).toBe(messages[at]));
      expect(repairs.length === 0).toBe(checkHistory(history).length === 0);
      expect(JSON.stringify(history)).toBe(before);
      const thinking = thinkingIn(history);
      thinkingIn(messages).forEach((block, at) => expect(block).toBe(thinking[at]));
      expect(thinkingIn(messages)).toHaveLength(thinking.length);
    }),
    { numRuns: 3000 },
  );
});

test("V1: the remaining results of a valid history survive the loss of any block", () => {
  const turns = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(turns, fc.nat(), (sizes, lost) => {
      let next = 0;
      const history = sizes.flatMap((size) => {
        const ids = Array.from({ length: size }, () => `id${next++}`);
        return [assistant(...ids.map((id) => use(id))), user(...ids.map((id) => answer(id)))];
      });
      const results = history.filter(({ role }) => role === "user").flatMap(({ content }) => [...content]);
      const victim = results[lost % results.length];
      const damaged = history.map(({ role, content }) => ({
        role,
        content: [...content].filter((one) => one !== victim),
      }));
      const kept = new Set(blocksIn(repairHistory([ask, ...damaged] as HistoryMessage[]).messages));
      for (const result of results) expect(kept.has(result)).toBe(result !== victim);
    }),
  );
});

test("Repairing a long history that is broken everywhere takes linear time", () => {
  const turn = [assistant(use("a"), use("a")), user(words("x"), answer("a"), answer("b"), answer("a"))];
  const history = Array.from({ length: 20_000 }, () => turn).flat();
  const before = process.cpuUsage();
  expect(checkHistory(repairHistory(history).messages)).toEqual([]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});
