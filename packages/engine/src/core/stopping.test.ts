import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import {
  controlled,
  newExecutor,
  paths,
  reader,
  resultsOf,
  settle,
  simple,
  stopsWhenTold,
  textsOf,
  writer,
} from "../../test/support/tools.ts";
import type { EngineEvent } from "../runtime/notice.ts";

test("C09, C10: stop cancels every call: running calls are aborted and waiting calls do not start", async () => {
  const write = controlled("Write", { ...writer, ...stopsWhenTold() });
  const executor = newExecutor([write.tool]);
  for (const id of ["1", "2", "3"]) executor.add({ id, name: "Write", input: { path: "a" } });
  executor.interrupt("stop");
  const texts = await textsOf(executor);
  expect(texts[1]).toMatch(/^Stopped after \d+\.\d s: the user stopped the turn\. It may have had effects\./);
  expect(texts[2]).toBe("Not run: the user stopped the turn.");
  expect(texts[3]).toBe("Not run: the user stopped the turn.");
});

test("a call that arrives after stop is reported at once as not run", async () => {
  let runs = 0;
  const executor = newExecutor([simple("Read", () => ++runs, reader)]);
  executor.interrupt("stop");
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  expect([...executor.completed()]).toMatchObject([
    { callId: "1", outcome: { type: "aborted", effect: "none" } },
  ]);
  expect(runs).toBe(0);
});

test("a new message stops the calls that allow it, including queued ones, and lets the others finish", async () => {
  const sleep = controlled("Sleep", { ...reader, ...stopsWhenTold(), interruptBehavior: () => "cancel" });
  const write = controlled("Write", writer);
  const executor = newExecutor([sleep.tool, write.tool], { limit: 2 });
  executor.add({ id: "1", name: "Sleep", input: { path: "s" } });
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  executor.add({ id: "3", name: "Sleep", input: { path: "s" } });
  executor.add({ id: "4", name: "Write", input: { path: "b" } });
  expect(executor.interruptible).toBe(false);
  executor.interrupt("message");
  executor.add({ id: "5", name: "Write", input: { path: "c" } });
  await settle();
  expect(paths(write.open)).toEqual(["a", "b"]);
  write.open[0]?.resolve();
  write.open[0]?.resolve();
  const outcomes = (await resultsOf(executor)).map(({ outcome }) =>
    outcome.type === "aborted" ? outcome.effect : outcome.type,
  );
  expect(outcomes).toEqual(["unknown", "succeeded", "none", "succeeded", "none"]);
});

test("interruptible says whether all running calls would stop for a new message", async () => {
  const { tool } = controlled("Sleep", { ...reader, ...stopsWhenTold(), interruptBehavior: () => "cancel" });
  const executor = newExecutor([tool]);
  expect(executor.interruptible).toBe(false);
  executor.add({ id: "1", name: "Sleep", input: { path: "s" } });
  expect(executor.interruptible).toBe(true);
  executor.interrupt("message");
  await resultsOf(executor);
  expect(executor.interruptible).toBe(false);
});

test('an aborted signal stops the turn, and with the reason "interrupt" counts as a new message', async () => {
  for (const [reason, second] of [
    ["interrupt", "succeeded"],
    ["enough", "aborted"],
  ] as const) {
    const abort = new AbortController();
    const { tool, open } = controlled("Write", writer);
    const executor = newExecutor([tool], { signal: abort.signal });
    executor.add({ id: "1", name: "Write", input: { path: "a" } });
    const call = open[0];
    abort.abort(reason);
    expect(call?.context.signal.aborted).toBe(reason !== "interrupt");
    call?.resolve();
    expect((await resultsOf(executor)).map(({ outcome }) => outcome.type)).toEqual([second]);
  }
});

test("a signal that is already aborted stops the turn before it begins", async () => {
  const executor = newExecutor([simple("Read", () => "never", reader)], { signal: AbortSignal.abort() });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  expect(await textsOf(executor)).toEqual({ 1: "Not run: the user stopped the turn." });
});

test("no listener is left on the signal after the turn (promise 5)", async () => {
  const { signal } = new AbortController();
  const executor = newExecutor([simple("Read", async () => "here", reader)], { signal });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await resultsOf(executor);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("C11, class 15: a failure cancels later calls that write, if the tool declares it; readers and earlier calls continue", async () => {
  const read = controlled("Read", reader);
  const write = controlled("Write", writer);
  const bash = controlled("Bash", { ...writer, onError: () => "cancel-later" });
  const executor = newExecutor([read.tool, write.tool, bash.tool]);
  executor.add({ id: "1", name: "Write", input: { path: "a" } });
  executor.add({ id: "2", name: "Bash", input: { path: "b" } });
  executor.add({ id: "3", name: "Write", input: { path: "c" } });
  executor.add({ id: "4", name: "Write", input: { path: "b" } });
  executor.add({ id: "5", name: "Read", input: { path: "b" } });
  const third = write.open[1];
  bash.open[0]?.reject(new Error("exit 1"));
  await settle();
  expect(third?.context.signal.aborted).toBe(true);
  third?.reject(third.context.signal.reason);
  executor.add({ id: "6", name: "Write", input: { path: "d" } });
  executor.add({ id: "7", name: "Read", input: { path: "d" } });
  await settle();
  expect([paths(write.open), paths(read.open)]).toEqual([["a"], ["b", "d"]]);
  for (const call of [...write.open, ...read.open]) call.resolve();
  const texts = await textsOf(executor);
  expect(texts[1]).toBe("Write a");
  expect(texts[2]).toMatch(/^Error: exit 1/);
  expect(texts[3]).toMatch(
    /^Stopped after .* s: an earlier call \(Bash, 2\) failed\. It may have had effects\./,
  );
  expect(texts[4]).toBe("Not run: an earlier call (Bash, 2) failed before this one started.");
  expect(texts[6]).toBe("Not run: an earlier call (Bash, 2) failed before this one started.");
  expect([texts[5], texts[7]]).toEqual(["Read b", "Read d"]);
});

test("C03: a time limit stops one call, and the result has the time and the output so far", async () => {
  const clock = new FakeClock();
  const limited = controlled("Bash", { ...writer, ...stopsWhenTold(), timeoutMs: () => 1_500 });
  const executor = newExecutor([limited.tool, simple("Read", () => "here", reader)], { clock });
  executor.add({ id: "1", name: "Bash", input: { path: "a" } });
  executor.add({ id: "2", name: "Read", input: { path: "b" } });
  clock.advance();
  const texts = await textsOf(executor);
  expect(texts[1]).toBe(
    "Stopped after 1.5 s: it reached its time limit of 1.5 s. It may have had effects.\nIf it needs more time, set a larger time limit or run it in the background, if the tool supports that.\nIt had printed nothing.",
  );
  expect(texts[2]).toBe("here");
});

test("the output of a stopped call is reported, whatever the call does when it is stopped", async () => {
  const { tool, open } = controlled("Bash", writer);
  const executor = newExecutor([tool]);
  executor.add({ id: "1", name: "Bash", input: { path: "a" } });
  open[0]?.context.progress({ type: "output", content: "line 1\n" });
  open[0]?.context.progress({ type: "output", content: "line 2\n" });
  executor.interrupt("stop");
  open[0]?.resolve("all of it");
  expect((await textsOf(executor))[1]).toContain("Its output so far:\nline 1\nline 2\n");
});

test("C08, V5: a call that ignores its signal is abandoned after 5 s, and the results of later conflicting calls say so", async () => {
  const clock = new FakeClock();
  const events: EngineEvent[] = [];
  const { tool, open } = controlled("Bash", { ...writer, timeoutMs: () => 1_000 });
  const executor = newExecutor([tool, simple("Write", () => "written", writer)], {
    clock,
    onEvent: (event) => void events.push(event),
  });
  executor.add({ id: "1", name: "Bash", input: { path: "a" } });
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  executor.add({ id: "3", name: "Write", input: { path: "b" } });
  const call = open[0];
  clock.advance();
  expect(clock.now()).toBe(1_000);
  clock.advance();
  expect(clock.now()).toBe(6_000);
  expect(await textsOf(executor)).toEqual({
    1: "Stopped after 6.0 s: it reached its time limit of 1 s. It may have had effects.\nIt did not react to being stopped and may still be running.\nIf it needs more time, set a larger time limit or run it in the background, if the tool supports that.\nIt had printed nothing.",
    2: "written\n(Note: 1 was stopped but may still be modifying the same files.)",
    3: "written",
  });
  expect(clock.pending).toBe(0);
  call?.resolve("too late");
  await settle();
  expect(events.filter(({ type }) => type === "call-ended-late")).toHaveLength(1);
});

test("a result names all abandoned calls that may still be changing the same files, and none that has ended since", async () => {
  const clock = new FakeClock();
  const { tool, open } = controlled("Bash", { ...writer, timeoutMs: () => 1_000 });
  const executor = newExecutor(
    [tool, simple("Write", () => "written", { access: () => [{ mode: "write", place: "*" }] })],
    {
      clock,
    },
  );
  for (const path of ["a", "b"]) executor.add({ id: path, name: "Bash", input: { path } });
  for (let at = 0; at < 4 && clock.pending > 0; at++) clock.advance();
  executor.add({ id: "1", name: "Write", input: { path: "a" } });
  await settle();
  open[0]?.resolve("too late");
  await settle();
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  expect(await textsOf(executor)).toMatchObject({
    1: "written\n(Note: a, b were stopped but may still be modifying the same files.)",
    2: "written\n(Note: b was stopped but may still be modifying the same files.)",
  });
});

test("of several causes, the strongest one is reported", async () => {
  const clock = new FakeClock();
  const slow = controlled("Slow", { ...writer, timeoutMs: () => 1_000 });
  const bash = controlled("Bash", { ...writer, onError: () => "cancel-later" });
  const executor = newExecutor([slow.tool, bash.tool], { clock });
  executor.add({ id: "1", name: "Bash", input: { path: "b" } });
  executor.add({ id: "2", name: "Slow", input: { path: "a" } });
  const call = slow.open[0];
  clock.advance();
  executor.interrupt("message");
  bash.open[0]?.reject("exit 1");
  await settle();
  call?.resolve();
  const causes = (await resultsOf(executor)).map(({ outcome }) =>
    outcome.type === "aborted" ? outcome.cause.kind : outcome.type,
  );
  expect(causes).toEqual(["failed", "sibling-error"]);
});

test("after a refusal, waiting calls do not start, and running calls finish and keep their results", async () => {
  const { tool, open } = controlled("Write", writer);
  const executor = newExecutor([tool]);
  executor.add({ id: "1", name: "Write", input: { path: "a" } });
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  executor.end({ ok: false, reason: "refusal" });
  open[0]?.resolve();
  expect(await textsOf(executor)).toEqual({
    1: "Write a",
    2: "Not run: the response broke off (refusal).",
  });
});

test("A06: if the connection breaks after complete calls, they run once, except those that were held", async () => {
  let runs = 0;
  const read = simple("Read", () => `read ${++runs}`, reader);
  const write = simple("Write", () => "never", writer);
  const executor = newExecutor([read, write], { start: "reads" });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  executor.end({ ok: false, reason: "the connection was cut" });
  executor.end({ ok: true });
  expect(await textsOf(executor)).toEqual({
    1: "read 1",
    2: "Not run: the response broke off (the connection was cut).",
  });
});

test("discard drops the response if only readers have started", async () => {
  const read = controlled("Read", reader);
  let wrote = false;
  const write = simple("Write", () => (wrote = true), writer);
  const executor = newExecutor([read.tool, write]);
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  const call = read.open[0];
  expect(executor.discard()).toEqual({ discarded: true });
  expect(call?.context.signal.aborted).toBe(true);
  expect(await resultsOf(executor)).toEqual([]);
  executor.add({ id: "3", name: "Write", input: { path: "b" } });
  call?.resolve();
  await settle();
  expect([...executor.completed()]).toEqual([]);
  expect(wrote).toBe(false);
});

test("discard keeps everything once a writer has started", async () => {
  const { tool, open } = controlled("Write", writer);
  const executor = newExecutor([tool, simple("Read", () => "read", reader)]);
  executor.add({ id: "1", name: "Write", input: { path: "a" } });
  executor.add({ id: "2", name: "Read", input: { path: "b" } });
  expect(executor.discard()).toEqual({ discarded: false, kept: ["1", "2"] });
  executor.end({ ok: false, reason: "another model takes over" });
  open[0]?.resolve();
  expect(await textsOf(executor)).toEqual({ 1: "Write a", 2: "read" });
});

test("interrupt rejects an unknown kind", () => {
  expect(() => newExecutor([]).interrupt("quit" as "stop")).toThrow(
    'interrupt takes "stop" or "message", not quit.',
  );
});
