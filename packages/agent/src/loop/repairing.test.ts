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
    { numRuns: 3_000, seed: 7 },
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
