/**
 * Classes of faults that an outside view of the engine has found: verdicts, answers and stops that cross each other.
 * Each test fails without what closes its class.
 */

import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import {
  addCalls,
  controlled,
  newExecutor,
  outcomesOf,
  paths,
  reader,
  resultsOf,
  settle,
  simple,
  writer,
} from "../../test/support/tools.ts";
import type { StreamingToolExecutor } from "./engine.ts";
import type { Answer, Verdict } from "./ports.ts";

test("class 4: a call that is stopped in the step that starts it is reported at once as not run", async () => {
  const entered: string[] = [];
  const tool = simple(
    "T",
    ({ path }) => {
      entered.push(path);
      if (path === "a") throw new Error("it failed");
    },
    {
      isReadOnly: ({ path }) => path === "a",
      access: ({ path }) => [{ mode: "write", place: `kv:/${path}` }],
      onError: () => "cancel-later",
    },
  );
  const clock = new FakeClock();
  const executor = newExecutor([tool], { start: "after", clock, journal: { record: async () => {} } });
  addCalls(executor, "a", "b");
  expect((await resultsOf(executor))[1]?.outcome).toMatchObject({ type: "aborted", effect: "none" });
  expect([entered, clock.now()]).toEqual([["a"], 0]);
});

test("class 5: a verdict from before permissionsChanged() does not start a call after it", async () => {
  for (let ticks = 0; ticks < 8; ticks++) {
    let mode: Verdict["behavior"] = "allow";
    let ranIn: string | undefined;
    const judge = async (): Promise<Verdict> => ({ behavior: mode });
    const executor = newExecutor([simple("T", () => void (ranIn = mode))], { canUseTool: judge });
    addCalls(executor, "a");
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    mode = "deny";
    executor.permissionsChanged();
    await resultsOf(executor);
    expect([ticks, ranIn === "deny"]).toEqual([ticks, false]);
  }
});

test("class 6: what a tool does with the executor applies to calls of the same step", async () => {
  const acts: Record<string, (executor: StreamingToolExecutor) => unknown> = {
    stop: (executor) => executor.interrupt("stop"),
    rules: (executor) => executor.permissionsChanged(),
    discard: (executor) => executor.discard(),
  };
  for (const [name, act] of Object.entries(acts)) {
    const entered: string[] = [];
    let mode: Verdict["behavior"] = "allow";
    const tool = simple(
      "T",
      ({ path }) => {
        entered.push(path);
        mode = "deny";
        return JSON.stringify(act(executor) ?? "");
      },
      { ...reader },
    );
    const executor = newExecutor([tool], { start: "after", canUseTool: () => ({ behavior: mode }) });
    addCalls(executor, "a", "b");
    await resultsOf(executor);
    expect([name, entered]).toEqual([name, ["a"]]);
  }
});

test("class 6: a listener that stops the turn when a call starts prevents it from running", async () => {
  const entered: string[] = [];
  const executor = newExecutor([simple("T", ({ path }) => void entered.push(path), writer)], {
    onEvent: (event) => {
      if (event.type === "call-changed" && event.state === "running") executor.interrupt("stop");
    },
  });
  addCalls(executor, "a", "b");
  expect(await outcomesOf(executor)).toEqual(["aborted", "aborted"]);
  expect(entered).toEqual([]);
});

test("class 14: a call that a hook turns into a writer after the response was cut off does not run", async () => {
  let answer: (said: object) => void = () => {};
  const tool = simple("T", () => "ran", { isReadOnly: ({ path }) => path === "read" });
  const executor = newExecutor([tool], {
    start: "reads",
    hooks: { preToolUse: () => new Promise((resolve) => (answer = resolve)) },
  });
  addCalls(executor, "read");
  await settle();
  executor.end({ ok: false, reason: "cut" });
  answer({ input: { path: "write" } });
  expect((await resultsOf(executor))[0]?.outcome).toMatchObject({
    cause: { kind: "response-ended" },
    effect: "none",
  });
});

/** A person who answers when the test says so. */
function person(): { ask: () => Promise<Answer>; answer: (answer: Answer) => void } {
  let answer: (answer: Answer) => void = () => {};
  return { ask: () => new Promise((resolve) => (answer = resolve)), answer: (given) => answer(given) };
}

test("class 7: a user's no counts even if the rules change at the same moment", async () => {
  for (const order of ["no first", "rules first"]) {
    const { ask, answer } = person();
    let judged = 0;
    const executor = newExecutor([simple("T", () => "ran")], {
      canUseTool: () => ({ behavior: judged++ === 0 ? "ask" : "allow" }),
      ask,
    });
    addCalls(executor, "a");
    if (order === "no first") answer({ behavior: "deny", message: "no!" });
    executor.permissionsChanged();
    if (order === "rules first") answer({ behavior: "deny", message: "no!" });
    expect([order, await outcomesOf(executor)]).toEqual([order, ["denied"]]);
  }
});

test("class 8: input that the user changed is judged by the rules", async () => {
  const judged: unknown[] = [];
  const executor = newExecutor([simple("T", () => "ran")], {
    canUseTool: (_tool, input) => {
      judged.push((input as { path: string }).path);
      return { behavior: (input as { path: string }).path === "bad" ? "deny" : "ask" };
    },
    ask: () => ({ behavior: "allow", input: { path: "bad" } }),
  });
  addCalls(executor, "good");
  expect([await outcomesOf(executor), judged]).toEqual([["denied"], ["good", "bad"]]);
});

test("class 8: a yes counts only for the input that the user was shown", async () => {
  const { ask, answer } = person();
  let changes = true;
  const executor = newExecutor([simple("T", ({ path }) => path)], {
    hooks: { preToolUse: () => ({ decision: "ask", reason: "" }) },
    canUseTool: () => ({ behavior: "allow", ...(changes ? { input: { path: "changed" } } : {}) }),
    ask,
  });
  addCalls(executor, "first");
  await settle();
  changes = false;
  executor.permissionsChanged();
  answer({ behavior: "allow" });
  await settle();
  executor.end();
  expect([...executor.completed()]).toEqual([]);
  answer({ behavior: "allow" });
  expect((await resultsOf(executor)).map(({ result }) => result.content)).toEqual(["first"]);
});

test("class 19: an answer with changed input to a withdrawn question has no effect", async () => {
  const { ask, answer } = person();
  let judged = 0;
  const { tool, open } = controlled("T", { access: ({ path }) => [{ mode: "write", place: `kv:/${path}` }] });
  const executor = newExecutor([tool], {
    canUseTool: async (_tool, _input, { callId }) => ({
      behavior: callId === "1" && judged++ === 0 ? "ask" : "allow",
    }),
    ask,
  });
  addCalls(executor, "a", "b");
  await settle();
  executor.permissionsChanged();
  await Promise.resolve();
  answer({ behavior: "allow", input: { path: "b" } });
  await settle();
  expect(new Set(paths(open)).size).toBe(paths(open).length);
  while (open.length > 0) {
    open[0]?.resolve();
    await settle();
  }
  await resultsOf(executor);
});
