import type { Access, JournalEvent } from "@runahead/engine";
import { expect, test } from "vitest";
import { turnJournal } from "./journal.ts";

const access = (readOnly: boolean): Access => ({
  claims: [],
  readOnly,
  interrupt: "block",
  onError: "isolate",
});
const arrived = (readOnly: boolean): JournalEvent => ({
  type: "call-arrived",
  id: "a",
  toolName: "Tool",
  access: access(readOnly),
  hooked: false,
  permitted: false,
});
const denied = { type: "denied", by: "a rule", reason: "" } as const;
const deny = { behavior: "deny", outcome: denied, endTurn: undefined } as const;
const ending = { type: "succeeded", content: "", ranMs: 1, output: "" } as const;
const ended: JournalEvent = { type: "response-ended", ok: true, reason: "" };

/** Which of these events the engine has to wait for. */
function waits(...events: readonly JournalEvent[]): boolean[] {
  const appended: JournalEvent[] = [];
  const journal = turnJournal({ append: (event) => appended.push(event), sync: () => Promise.resolve() });
  const waited = events.map((event) => journal.record(event) !== undefined);
  expect(appended).toEqual(events);
  return waited;
}

test("for read-only calls, the engine waits only for the events that end them", () => {
  expect(
    waits(
      arrived(true),
      { type: "call-judged", id: "a", epoch: 0, judgement: { behavior: "allow" } },
      { type: "call-judged", id: "a", epoch: 0, judgement: deny },
      { type: "call-answered", id: "a", question: 0, judgement: deny },
      { type: "call-finished", id: "a", ending },
      { type: "call-timed-out", id: "a", limitMs: 1 },
      { type: "call-ignored-stop", id: "a", ranMs: 1, output: "" },
      { type: "call-rejected", id: "a", toolName: "Tool", outcome: denied },
      ended,
    ),
  ).toEqual([false, false, true, true, true, true, true, true, false]);
});

test("once a call writes, from its arrival or after a change, the engine waits for every event", () => {
  const changed = { behavior: "allow", change: { input: 1, access: access(false) } } as const;
  expect(waits(ended, arrived(false), ended)).toEqual([false, true, true]);
  expect(waits(arrived(true), { type: "call-judged", id: "a", epoch: 0, judgement: changed }, ended)).toEqual(
    [false, true, true],
  );
  expect(
    waits(arrived(true), { type: "call-answered", id: "a", question: 0, judgement: changed }, ended),
  ).toEqual([false, true, true]);
  expect(waits(arrived(true), { type: "call-located", id: "a", access: access(false) }, ended)).toEqual([
    false,
    true,
    true,
  ]);
});
