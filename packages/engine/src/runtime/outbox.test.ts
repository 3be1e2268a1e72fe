import { expect, test } from "vitest";
import { Outbox, type Update } from "./outbox.ts";

type ResultUpdate = Extract<Update, { type: "result" }>;

function resultOf(callId: string): ResultUpdate {
  return {
    type: "result",
    callId,
    result: { type: "tool_result", tool_use_id: callId, content: "done", is_error: false },
    output: "done",
    outcome: { type: "succeeded", content: "done" },
  };
}

const progressOf = (callId: string, data: unknown): Update => ({ type: "progress", callId, data });

function takeAll(outbox: Outbox): Update[] {
  const updates: Update[] = [];
  for (let update = outbox.take(); update !== undefined; update = outbox.take()) updates.push(update);
  return updates;
}

test("Updates are read in the order in which they were added, each once", () => {
  const outbox = new Outbox();
  outbox.progress("a", 1);
  outbox.progress("b", 2);
  outbox.progress("a", undefined);
  outbox.result(resultOf("a"));
  outbox.progress("b", 3);
  outbox.result(resultOf("b"));
  expect(takeAll(outbox)).toEqual([
    progressOf("a", 1),
    progressOf("b", 2),
    progressOf("a", undefined),
    resultOf("a"),
    progressOf("b", 3),
    resultOf("b"),
  ]);
  expect(outbox.take()).toBeUndefined();
});

test("Of unread progress, the latest reports of each call are kept, and no result is lost", () => {
  const outbox = new Outbox();
  for (let at = 0; at < 100_000; at++) outbox.progress("loud", at);
  outbox.progress("quiet", "once");
  outbox.result(resultOf("loud"));
  const latest = Array.from({ length: 256 }, (_, at) => progressOf("loud", 100_000 - 256 + at));
  expect(takeAll(outbox)).toEqual([...latest, progressOf("quiet", "once"), resultOf("loud")]);
});

test("Progress that was read does not count as unread", () => {
  const outbox = new Outbox();
  const seen: Update[] = [];
  for (let at = 0; at < 1_000; at++) {
    outbox.progress("a", at);
    if (at % 200 === 199) seen.push(...takeAll(outbox));
  }
  expect(seen).toEqual(Array.from({ length: 1_000 }, (_, at) => progressOf("a", at)));
});

/** A reader that takes what there is when it is woken. */
function reads(outbox: Outbox, taken: [string, Update | undefined][], name: string): void {
  outbox.wait({ wake: () => void taken.push([name, outbox.take()]) });
}

test("Waiting readers wake in their order, one for each update", () => {
  const outbox = new Outbox();
  const taken: [string, Update | undefined][] = [];
  for (const name of ["one", "two", "three"]) reads(outbox, taken, name);
  outbox.progress("a", 1);
  outbox.progress("a", 2);
  expect(taken).toEqual([
    ["one", progressOf("a", 1)],
    ["two", progressOf("a", 2)],
  ]);
  outbox.wakeAll();
  expect(taken[2]).toEqual(["three", undefined]);
});

test("An update that a woken reader does not take wakes the next one", () => {
  const outbox = new Outbox();
  const taken: [string, Update | undefined][] = [];
  outbox.wait({ wake: () => {} });
  reads(outbox, taken, "two");
  outbox.progress("a", 1);
  expect(taken).toEqual([["two", progressOf("a", 1)]]);
});

test("Progress that replaces older progress wakes no reader", () => {
  const outbox = new Outbox();
  for (let at = 0; at < 256; at++) outbox.progress("a", at);
  const taken: [string, Update | undefined][] = [];
  reads(outbox, taken, "one");
  outbox.progress("a", 256);
  expect(taken).toEqual([]);
  expect(takeAll(outbox)).toHaveLength(256);
});

test("Closing wakes the readers, drops unread updates and accepts no new ones", () => {
  const outbox = new Outbox();
  outbox.progress("a", 1);
  outbox.result(resultOf("a"));
  const taken: [string, Update | undefined][] = [];
  reads(outbox, taken, "one");
  outbox.close();
  outbox.progress("b", 2);
  outbox.result(resultOf("b"));
  expect([taken, outbox.take()]).toEqual([[["one", undefined]], undefined]);
});
