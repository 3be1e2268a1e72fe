import fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalEvent } from "../core/event.ts";
import { type MemoryJournal, fullJournal, memoryJournal } from "./memory-journal.ts";

const launched = (id: number): JournalEvent => ({ type: "call-launched", id: `${id}` });

function recordAll(journal: MemoryJournal, amount: number): void {
  for (let id = 0; id < amount; id++) expect(journal.record(launched(id))).toBeUndefined();
}

test("The full journal keeps every event, in order", () => {
  const journal = fullJournal();
  recordAll(journal, 2_000);
  expect(journal.events).toEqual(Array.from({ length: 2_000 }, (_, id) => launched(id)));
});

test("The bounded journal keeps the latest events, oldest first, however many there were", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat({ max: 100 }), (kept, amount) => {
      const journal = memoryJournal(kept);
      recordAll(journal, amount);
      expect(journal.events).toEqual(Array.from({ length: amount }, (_, id) => launched(id)).slice(-kept));
    }),
  );
});

test("V7: by default it keeps a few hundred events, so memory does not grow with the turn", () => {
  const journal = memoryJournal();
  recordAll(journal, 100_000);
  expect(journal.events.length).toBeLessThanOrEqual(1_000);
  expect(journal.events.at(-1)).toEqual(launched(99_999));
});

test("A list that was read does not change when more is recorded", () => {
  const journal = memoryJournal(2);
  recordAll(journal, 2);
  const before = journal.events;
  void journal.record({ type: "turn-discarded" });
  expect(before).toEqual([launched(0), launched(1)]);
  expect(journal.events).toEqual([launched(1), { type: "turn-discarded" }]);
});
