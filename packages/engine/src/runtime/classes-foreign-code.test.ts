/**
 * Classes of faults that an outside view of the engine has found: tools and hooks are foreign code.
 * Each test fails without what closes its class.
 */

import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { addCalls, newExecutor, outcomesOf, resultsOf, settle, simple } from "../../test/support/tools.ts";
import type { EngineEvent } from "./notice.ts";
import { fullJournal } from "./memory-journal.ts";

test.each<[string, unknown]>([
  ["a match of a regular expression", ["T"]],
  ["a number", 1],
  ["a promise", Promise.resolve(true)],
])("class 1: a hook whose `matches` returns %s runs", async (_, answer) => {
  const executor = newExecutor([simple("T", () => "ran")], {
    hooks: { matches: () => answer as boolean, preToolUse: () => ({ decision: "deny", reason: "no" }) },
  });
  addCalls(executor, "a");
  expect(await outcomesOf(executor)).toEqual(["denied"]);
});

test.each<[string, unknown]>([
  ["an addition that is not a text", { addition: 5 }],
  ["content that is not content", { content: {} }],
  ["a text block without text", { content: [{ type: "text" }] }],
  ["an image without a source", { content: [{ type: "image" }] }],
  ["an end of the turn without a reason", { endTurn: 1 }],
  ["something that is not an object", "fine"],
  [
    "something unreadable",
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("unreadable");
        },
      },
    ),
  ],
])("class 2: a post hook that returns %s has failed, and the result stays unchanged", async (_, answer) => {
  const events: EngineEvent[] = [];
  const executor = newExecutor([simple("T", () => "ran")], {
    hooks: { postToolUse: () => answer as never },
    onEvent: (event) => void events.push(event),
  });
  addCalls(executor, "a");
  expect((await resultsOf(executor)).map(({ result }) => result.content)).toEqual(["ran"]);
  expect(events.filter(({ type }) => type === "hook-failed")).toHaveLength(1);
});

test.each<[string, unknown]>([
  ["a text", "/elsewhere"],
  ["a promise", async () => ({ cwd: "/b" })],
  ["a function to something else", () => ({ folder: "/b" })],
])("class 3: change() with %s changes nothing and is reported", async (_, modify) => {
  const events: EngineEvent[] = [];
  const executor = newExecutor([simple("T", (_input, { change }) => change(modify as never))], {
    context: { cwd: "/a" },
    onEvent: (event) => void events.push(event),
  });
  addCalls(executor, "a", "b");
  expect(await outcomesOf(executor)).toEqual(["succeeded", "succeeded"]);
  expect(executor.context).toEqual({ cwd: "/a" });
  expect(events.some(({ type }) => type === "context-failed")).toBe(true);
});

test.each(["preToolUse", "postToolUse"] as const)(
  "class 9: a %s hook that never answers leaves no timer",
  async (hook) => {
    const clock = new FakeClock();
    const executor = newExecutor([simple("T", () => "ran")], {
      clock,
      hooks: { [hook]: () => new Promise(() => {}) },
    });
    addCalls(executor, "a");
    await settle();
    executor.interrupt("stop");
    const reading = resultsOf(executor);
    await settle();
    if (hook === "postToolUse") clock.advance();
    await reading;
    await settle();
    expect(clock.pending).toBe(0);
  },
);

test("class 9: a call that ends after it was abandoned runs no hook and leaves no timer", async () => {
  const clock = new FakeClock();
  const asked: string[] = [];
  let end: (value: string) => void = () => {};
  const stubborn = simple("T", () => new Promise<string>((resolve) => (end = resolve)));
  const executor = newExecutor([stubborn], {
    clock,
    hooks: { postToolUse: ({ callId }) => void asked.push(callId) },
  });
  addCalls(executor, "a");
  executor.interrupt("stop");
  await settle();
  clock.advance();
  expect(await outcomesOf(executor)).toEqual(["aborted"]);
  end("late");
  await settle();
  expect([asked, clock.pending]).toEqual([[], 0]);
});

test("class 10: a tool that ends twice has only its first ending", async () => {
  const hooks: string[] = [];
  const journal = fullJournal();
  const twice = {
    // oxlint-disable-next-line unicorn/no-thenable
    then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
      setImmediate(() => {
        reject(new Error("it failed"));
        resolve("all is well");
      });
    },
  };
  const executor = newExecutor([simple("T", () => twice)], {
    journal,
    hooks: {
      postToolUse: () => void hooks.push("post"),
      postToolUseFailure: () => void hooks.push("failure"),
    },
  });
  addCalls(executor, "a");
  expect([await outcomesOf(executor), hooks]).toEqual([["failed"], ["failure"]]);
  await settle();
  expect(journal.events.filter(({ type }) => type === "call-finished")).toHaveLength(1);
});

test("class 16: progress and claims that cannot be read affect nothing else", async () => {
  const unreadable = new Proxy(
    {},
    {
      get: () => {
        throw new Error("unreadable");
      },
    },
  );
  const tool = simple("T", (_input, { progress }) => progress(unreadable), {
    access: () => [unreadable] as never,
  });
  const executor = newExecutor([tool]);
  addCalls(executor, "a", "b");
  expect(await outcomesOf(executor)).toEqual(["succeeded", "succeeded"]);
});
