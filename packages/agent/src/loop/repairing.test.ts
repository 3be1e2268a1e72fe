import { repairHistory } from "@runahead/engine/history";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block, Message } from "../model/message.ts";
import { GrowingHistory } from "./repairing.ts";

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const block = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<Block>({ type: "text", text: "words" }, { type: "text", text: " " }),
  },
  { weight: 4, arbitrary: id.map((one): Block => ({ type: "tool_use", id: one, name: "Read", input: {} })) },
  { weight: 4, arbitrary: id.map((one): Block => ({ type: "tool_result", tool_use_id: one, content: "" })) },
  {
    weight: 1,
    arbitrary: id.map((one): Block => ({ type: "server_tool_use", id: one, name: "web", input: {} })),
  },
  { weight: 1, arbitrary: id.map((one): Block => ({ type: "web_tool_result", tool_use_id: one })) },
);
const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom("user", "assistant"),
  content: fc.oneof(fc.constantFrom("go", ""), fc.array(block, { maxLength: 3 })),
});
/** What can make a call or a result of a turn other than plain. */
const odd = fc.constantFrom<Readonly<Record<string, unknown>>>(
  {},
  {},
  { input: { path: "a", line: 1 } },
  { input: { list: [{ text: "\uD83D" }] } },
  { input: { path: "\uD83D" } },
  { input: { "\uD83D": "a" } },
  { input: [] },
  { input: null },
  { input: "text" },
  { caller: { type: "\uD83D" } },
  { note: "\uD83D" },
  { content: [{ type: "text", text: "x" }] },
  { content: [{ type: "text", text: " " }] },
  { content: "\uD83D" },
);
const oddTurn = fc
  .record({
    ids: fc.array(fc.constantFrom("u", "v", "w", "", " "), { maxLength: 3 }),
    text: fc.constantFrom<readonly Block[]>(
      [],
      [{ type: "text", text: "words" }],
      [{ type: "text", text: " " }],
    ),
    call: odd,
    result: odd,
    mode: fc.constantFrom("same", "reversed", "one less", "text first"),
  })
  .map(({ ids, text, call, result, mode }): Message[] => {
    const results = ids.map(
      (one): Block => ({ type: "tool_result", tool_use_id: one, content: "x", ...result }),
    );
    const order = { same: results, reversed: results.toReversed(), "one less": results.slice(1) };
    return [
      {
        role: "assistant",
        content: [
          ...text,
          ...ids.map((one): Block => ({ type: "tool_use", id: one, name: "Read", input: {}, ...call })),
        ],
      },
      { role: "user", content: mode === "text first" ? [...text, ...results] : order[mode as "same"] },
    ];
  });
/** One turn as the loop adds it. */
const turn = fc.uniqueArray(fc.integer({ min: 0, max: 1e6 }), { maxLength: 3 }).map((numbers): Message[] => [
  {
    role: "assistant",
    content: numbers.map((one) => ({ type: "tool_use", id: `${one}`, name: "Read", input: {} })),
  },
  {
    role: "user",
    content: numbers.map((one) => ({ type: "tool_result", tool_use_id: `${one}`, content: "x" })),
  },
]);

test("a history that grows is repaired as the whole of it would be, at every step", () => {
  const pieces = fc.array(
    fc.oneof(
      turn,
      oddTurn,
      message.map((one) => [one]),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(pieces, fc.boolean(), (added, keepsRepaired) => {
      const growing = new GrowingHistory();
      let history: readonly Message[] = [];
      for (const piece of added) {
        history = [...history, ...piece];
        const expected = repairHistory(history);
        const repaired = growing.repair(history);
        expect(repaired.repairs).toEqual(expected.repairs);
        expect(repaired.messages).toEqual(expected.messages);
        if (keepsRepaired) history = repaired.messages;
      }
    }),
    { numRuns: 1_500, seed: 7 },
  );
});

test("old messages are not read again", () => {
  let reads = 0;
  const counted = (text: Message): Message => ({
    role: text.role,
    get content() {
      reads++;
      return text.content;
    },
  });
  const growing = new GrowingHistory();
  let history: Message[] = [];
  for (let number = 0; number < 200; number++) {
    const call = { type: "tool_use", id: `${number}`, name: "Read", input: {} };
    history = [
      ...history,
      ...(number === 0 ? [counted({ role: "user", content: "go" })] : []),
      counted({ role: "assistant", content: [call] }),
      counted({ role: "user", content: [{ type: "tool_result", tool_use_id: `${number}`, content: "x" }] }),
    ];
    reads = 0;
    expect(growing.repair(history).repairs).toEqual([]);
    if (number > 0) expect(reads).toBeLessThan(100);
  }
});

test("a new call gets an id that no call of the history has", () => {
  const history = new GrowingHistory();
  const round = (one: string): Message[] => [
    { role: "assistant", content: [{ type: "tool_use", id: one, name: "Read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: one, content: "x" }] },
  ];
  const messages: Message[] = [{ role: "user", content: "go" }, ...round("a"), ...round("a_3")];
  expect(history.repair(messages).repairs).toEqual([]);
  expect(["b", "a", "a", "a_3"].map((one) => history.freshId(one))).toEqual(["b", "a_2", "a_4", "a_3_2"]);
  expect(history.repair([...messages, ...round("a_2")]).repairs).toEqual([]);
  expect(history.freshId("a")).toBe("a_5");
});
