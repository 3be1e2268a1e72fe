/**
 * Classes of faults that an outside view of the engine has found: journals with records missing.
 * Each test fails without what closes its class.
 */

import { expect, test } from "vitest";
import { addCalls, newExecutor, reader, resultsOf, simple, writer } from "../../test/support/tools.ts";
import type { JournalEvent } from "../core/event.ts";
import { type MemoryJournal, fullJournal } from "./memory-journal.ts";
import { recoverTurn } from "./recover.ts";

test("class 11: whichever record is missing, a call that ran is not reported as not run", async () => {
  for (let missing = 0; missing < 12; missing++) {
    const { journal, kept } = losing(missing);
    const executor = newExecutor([simple("T", async () => "ran", writer)], {
      canUseTool: async () => ({ behavior: "allow" }),
      journal,
    });
    addCalls(executor, "a", "b", "c");
    await resultsOf(executor);
    for (const { callId, fate, result } of recoverTurn(kept.events)) {
      const hasEnded = kept.events.some((event) => event.type === "call-finished" && event.id === callId);
      expect([missing, callId, fate]).toEqual([missing, callId, hasEnded ? "finished" : "unknown"]);
      if (hasEnded) expect(result.content).toBe("ran");
    }
  }
});

test("class 11: a launch whose record is lost counts, even if a stop is recorded before the loss", () => {
  const access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" } as const;
  const outcome = { type: "denied", by: "permissions", reason: "" } as const;
  const judgement = { behavior: "deny", outcome, endTurn: undefined } as const;
  const arrived = { type: "call-arrived", toolName: "T", access, hooked: false } as const;
  const fates = recoverTurn([
    { ...arrived, id: "stopped", permitted: true },
    { ...arrived, id: "denied by a verdict that was void", permitted: false },
    { type: "call-judged", id: "denied by a verdict that was void", epoch: 3, judgement },
    { type: "turn-interrupted", kind: "stop", reason: "enough" },
    { type: "records-lost" },
  ]);
  expect(fates.map(({ fate }) => fate)).toEqual(["unknown", "unknown"]);
});

test("class 11: after a loss, the loss is recorded before anything else", async () => {
  const kept = fullJournal();
  let failures = 2;
  const record = (event: JournalEvent): void => {
    const isFailing = event.type !== "call-arrived" && failures-- > 0;
    if (isFailing) throw new Error("the disk is full");
    void kept.record(event);
  };
  const executor = newExecutor([simple("T", () => "ran", reader)], { journal: { record } });
  addCalls(executor, "a");
  addCalls(executor, "a", "b", "c");
  await resultsOf(executor);
  const types = kept.events.map(({ type }) => type);
  expect(types.slice(0, 2)).toEqual(["call-arrived", "records-lost"]);
  expect(recoverTurn(kept.events)[0]?.fate).toBe("unknown");
});

test("class 11: after a loss, a call that was allowed later may have run", () => {
  const access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" } as const;
  const arrived = { type: "call-arrived", toolName: "T", access, hooked: false, permitted: false } as const;
  const allow = { behavior: "allow" } as const;
  // The arrival of an earlier call is lost, so the epochs of the replay are not those of the turn.
  const fates = recoverTurn([
    { type: "records-lost" },
    { ...arrived, id: "allowed" },
    { type: "call-judged", id: "allowed", epoch: 4, judgement: allow },
    { ...arrived, id: "not judged" },
  ]);
  expect(fates.map(({ callId, fate }) => [callId, fate])).toEqual([
    ["allowed", "unknown"],
    ["not judged", "never-started"],
  ]);
});

/** A journal that fails once. */
function losing(missing: number): { journal: MemoryJournal; kept: MemoryJournal } {
  const kept = fullJournal();
  let at = 0;
  const record: MemoryJournal["record"] = (event) => {
    if (at++ === missing) throw new Error("the disk is full");
    return kept.record(event);
  };
  return { kept, journal: { ...kept, record } };
}
