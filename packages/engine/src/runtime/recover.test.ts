import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import {
  controlled,
  newExecutor,
  reader,
  resultsOf,
  settle,
  simple,
  textsOf,
  writer,
} from "../../test/support/tools.ts";
import type { JournalEvent } from "../core/event.ts";
import { fullJournal } from "./memory-journal.ts";
import type { EngineEvent } from "./notice.ts";
import { recoverTurn } from "./recover.ts";

test("G01, G03: after a crash, each call is finished, has an unknown outcome, or never started", async () => {
  const { tool } = controlled("Slow", writer);
  const journal = fullJournal();
  const executor = newExecutor([tool, simple("Read", () => "read", reader)], { journal });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  executor.add({ id: "2", name: "Slow", input: { path: "b" } });
  executor.add({ id: "3", name: "Slow", input: { path: "b" } });
  executor.add({ id: "4", name: "Nope", input: {} });
  const reborn = JSON.parse(JSON.stringify(journal.events)) as JournalEvent[];
  const fates = recoverTurn(reborn);
  expect(fates.map(({ callId, fate, result }) => [callId, fate, result.content])).toEqual([
    ["1", "finished", "read"],
    [
      "2",
      "unknown",
      "Outcome unknown: the program ended while this call was running. It may have had effects, and its output is lost.",
    ],
    ["3", "never-started", "Not run: the program ended before this call started."],
    [
      "4",
      "finished",
      "<tool_use_error>Error: No such tool available: Nope. Available: Slow, Read.</tool_use_error>",
    ],
  ]);
});

test("a recovered result is the one that was returned, with the call that may still be running", async () => {
  const clock = new FakeClock();
  const { tool, open } = controlled("Slow", { ...writer, timeoutMs: () => 1_000 });
  const journal = fullJournal();
  const executor = newExecutor([tool, simple("Edit", () => "edited", writer)], { journal, clock });
  executor.add({ id: "1", name: "Slow", input: { path: "a" } });
  executor.add({ id: "2", name: "Edit", input: { path: "a" } });
  const reading = resultsOf(executor);
  while (!journal.events.some((event) => event.type === "call-finished")) {
    clock.advance();
    await settle();
  }
  open[0]?.resolve();
  const results = (await reading).map(({ result }) => result);
  expect(results[1]?.content).toBe(
    "edited\n(Note: 1 was stopped but may still be modifying the same files.)",
  );
  expect(recoverTurn(journal.events).map(({ result }) => result)).toEqual(results);
});

test("a call whose turn is stopped when its time limit is asked for is not recorded as launched", async () => {
  const journal = fullJournal();
  const stop = (): number => {
    executor.interrupt("stop");
    return 1_000;
  };
  const tool = simple("T", () => "ran", { ...writer, timeoutMs: stop });
  const executor = newExecutor([tool], { journal });
  executor.add({ id: "1", name: "T", input: { path: "a" } });
  const results = (await resultsOf(executor)).map(({ result }) => result);
  expect(results[0]?.content).toBe("Not run: the user stopped the turn.");
  expect(journal.events.map(({ type }) => type)).not.toContain("call-launched");
  expect(recoverTurn(journal.events).map(({ result }) => result)).toEqual(results);
});

test("a discarded turn has nothing to recover", () => {
  const { tool } = controlled("Read", reader);
  const journal = fullJournal();
  const executor = newExecutor([tool], { journal });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  executor.discard();
  expect(recoverTurn(journal.events)).toEqual([]);
});

/** A journal whose records are safe when the test says so. */
function slowJournal() {
  const saves: (() => void)[] = [];
  return { saves, journal: { record: () => new Promise<void>((resolve) => saves.push(resolve)) } };
}

test("with an asynchronous journal, a writer waits for the record of its start and a reader does not", async () => {
  const { saves, journal } = slowJournal();
  const read = controlled("Read", reader);
  const write = controlled("Write", writer);
  const executor = newExecutor([read.tool, write.tool], { journal });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  executor.add({ id: "2", name: "Write", input: { path: "b" } });
  await settle();
  expect([read.open.length, write.open.length]).toEqual([1, 0]);
  for (const save of saves.splice(0)) save();
  await settle();
  expect(write.open).toHaveLength(1);
  read.open[0]?.resolve();
  write.open[0]?.resolve();
  await settle();
  expect([...executor.completed()]).toEqual([]);
  for (const save of saves.splice(0)) save();
  await settle();
  expect([...executor.completed()].map(({ callId }) => callId)).toEqual(["1", "2"]);
});

test("with an asynchronous journal, no listener is left on the signal", async () => {
  const { signal } = new AbortController();
  const journal = { record: () => Promise.resolve() };
  const executor = newExecutor([simple("Read", () => "read", reader)], { journal, signal });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  await resultsOf(executor);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a writer that is stopped before its start is recorded is reported as not run", async () => {
  const { saves, journal } = slowJournal();
  const write = controlled("Write", writer);
  const executor = newExecutor([write.tool], { journal });
  executor.add({ id: "1", name: "Write", input: { path: "a" } });
  executor.interrupt("stop");
  executor.end();
  const reading = textsOf(executor);
  while (saves.length > 0) {
    saves.shift()?.();
    await settle();
  }
  expect(await reading).toEqual({ 1: "Not run: the user stopped the turn." });
  expect(write.open).toEqual([]);
});

test("a journal that fails is reported, and the turn continues (E02)", async () => {
  const fails = [
    () => {
      throw new Error("disk full");
    },
    () => Promise.reject(new Error("disk full")),
  ];
  for (const record of fails) {
    const events: EngineEvent[] = [];
    const executor = newExecutor([simple("Write", () => "written", writer)], {
      journal: { record },
      onEvent: (event) => void events.push(event),
    });
    executor.add({ id: "1", name: "Write", input: { path: "a" } });
    expect((await resultsOf(executor)).map(({ result }) => result.content)).toEqual(["written"]);
    expect(events.find(({ type }) => type === "journal-failed")).toMatchObject({ message: "disk full" });
  }
});
