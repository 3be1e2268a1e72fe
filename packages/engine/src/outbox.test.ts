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

test("Updates come out in the order they went in, each once", () => {
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

test("Of progress that nobody reads, the latest of each call is kept, and no result is lost", () => {
  const outbox = new Outbox();
  for (let at = 0; at < 100_000; at++) outbox.progress("loud", at);
  outbox.progress("quiet", "once");
  outbox.result(resultOf("loud"));
  const latest = Array.from({ length: 256 }, (_, at) => progressOf("loud", 100_000 - 256 + at));
  expect(takeAll(outbox)).toEqual([...latest, progressOf("quiet", "once"), resultOf("loud")]);
});

test("Progress that is read in between is not counted as unread", () => {
  const outbox = new Outbox();
  const seen: Update[] = [];
  for (let at = 0; at < 1_000; at++) {
    outbox.progress("a", at);
    if (at % 200 === 199) seen.push(...takeAll(outbox));
  }
  expect(seen).toEqual(Array.from({ length: 1_000 }, (_, at) => progressOf("a", at)));
});

test("Everybody who waits is woken by the next update, and by nothing before it", async () => {
  const outbox = new Outbox();
  const woken: string[] = [];
  const waits = ["one", "two", "three"].map((name) => outbox.changed().then(() => void woken.push(name)));
  await Promise.resolve();
  expect(woken).toEqual([]);
  outbox.progress("a", 1);
  await Promise.all(waits);
  expect(woken).toEqual(["one", "two", "three"]);
});

test("Progress that takes the place of older progress leaves readers asleep, for there is no more to read", async () => {
  const outbox = new Outbox();
  for (let at = 0; at < 256; at++) outbox.progress("a", at);
  let isWoken = false;
  void outbox.changed().then(() => {
    isWoken = true;
  });
  outbox.progress("a", 256);
  await new Promise(setImmediate);
  expect(isWoken).toBe(false);
  expect(takeAll(outbox)).toHaveLength(256);
});

test("Waking nobody does nothing", () => {
  const outbox = new Outbox();
  outbox.wake();
  expect(outbox.take()).toBeUndefined();
});

test("Closing wakes the readers, drops what is unread and takes nothing more", async () => {
  const outbox = new Outbox();
  const changed = outbox.changed();
  outbox.progress("a", 1);
  outbox.result(resultOf("a"));
  outbox.close();
  await changed;
  outbox.progress("b", 2);
  outbox.result(resultOf("b"));
  expect(outbox.take()).toBeUndefined();
});
