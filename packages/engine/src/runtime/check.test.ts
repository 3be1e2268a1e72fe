import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import {
  controlled,
  newExecutor,
  reader,
  settle,
  simple,
  textsOf,
  writer,
} from "../../test/support/tools.ts";
import type { StreamingToolExecutor } from "../index.ts";
import type { Answer, Question, Verdict } from "./ports.ts";
import type { CheckContext } from "./tool.ts";

/** Allows everything that it is asked about. */
function person() {
  const asked: string[] = [];
  const ask = ({ callId }: Question): Answer => {
    asked.push(callId);
    return { behavior: "allow" };
  };
  return { asked, ask };
}

const write = (id: string, path: string) => ({ id, name: "Write", input: { path } });
const onlyReads = ({ name }: { name: string }): Verdict => ({ behavior: name === "Read" ? "allow" : "ask" });
const asks = (): Verdict => ({ behavior: "ask" });

/** Refuses the path `bad`. */
const checked = {
  ...writer,
  check: ({ path }: { path: string }) => {
    if (path === "bad") throw Object.assign(new Error("There is no such file."), { stack: "" });
  },
};

test("a call that fails its check gets the error without a question; the others are asked about", async () => {
  const { asked, ask } = person();
  const tool = simple("Write", ({ path }) => `wrote ${path}`, checked);
  const executor = newExecutor([tool], { ask, canUseTool: asks });
  for (const [id, path] of [
    ["1", "good"],
    ["2", "bad"],
    ["3", "other"],
  ] as const)
    executor.add(write(id, path));
  expect(await textsOf(executor)).toEqual({
    1: "wrote good",
    2: "Error: There is no such file.",
    3: "wrote other",
  });
  expect(asked).toEqual(["1", "3"]);
});

test("a call that is allowed or denied is not checked", async () => {
  for (const behavior of ["allow", "deny"] as const) {
    let checks = 0;
    const tool = simple("Write", ({ path }) => `wrote ${path}`, { ...writer, check: () => void checks++ });
    const executor = newExecutor([tool], { canUseTool: () => ({ behavior }) });
    executor.add(write("1", "bad"));
    await textsOf(executor);
    expect(checks).toBe(0);
  }
});

test("a call that conflicts with an earlier unfinished call is checked and asked about after it", async () => {
  const { asked, ask } = person();
  const read = controlled("Read", reader);
  const tool = simple("Write", ({ path }) => `wrote ${path}`, checked);
  const executor = newExecutor([read.tool, tool], {
    ask,
    canUseTool: onlyReads,
  });
  for (const [at, path] of ["bad", "good"].entries()) {
    executor.add({ id: `r${at}`, name: "Read", input: { path } });
    executor.add(write(`w${at}`, path));
  }
  await settle();
  expect(asked).toEqual([]);
  read.open[1]?.resolve();
  await settle();
  expect(asked).toEqual(["w1"]);
  read.open[0]?.resolve();
  expect(await textsOf(executor)).toEqual({
    r0: "Read bad",
    w0: "Error: There is no such file.",
    r1: "Read good",
    w1: "wrote good",
  });
  expect(asked).toEqual(["w1"]);
});

test("a call whose check does not wait is asked about unchecked while an earlier call blocks it", async () => {
  const { asked, ask } = person();
  const read = controlled("Read", reader);
  const tool = simple("Write", ({ path }) => `wrote ${path}`, { ...checked, checkWaits: false });
  const executor = newExecutor([read.tool, tool], { ask, canUseTool: onlyReads });
  executor.add({ id: "1", name: "Read", input: { path: "bad" } });
  executor.add(write("2", "bad"));
  await settle();
  expect(asked).toEqual(["2"]);
  read.open[0]?.resolve();
  expect(await textsOf(executor)).toEqual({ 1: "Read bad", 2: "wrote bad" });
});

test("while a question waits for an earlier call, a stop, new rules or a discarded turn settle its call", async () => {
  const ends = {
    stop: (executor: StreamingToolExecutor) => executor.interrupt("stop"),
    rules: (executor: StreamingToolExecutor) => executor.permissionsChanged(),
    discard: (executor: StreamingToolExecutor) => executor.discard(),
  };
  const results: Record<string, unknown> = {};
  for (const [name, end] of Object.entries(ends)) {
    const { asked, ask } = person();
    const read = controlled("Read", reader);
    const tool = simple("Write", ({ path }) => `wrote ${path}`, checked);
    let verdict: Verdict = { behavior: "ask" };
    const executor = newExecutor([read.tool, tool], {
      ask,
      canUseTool: (called) => (called.name === "Read" ? { behavior: "allow" } : verdict),
    });
    executor.add({ id: "1", name: "Read", input: { path: "a" } });
    executor.add({ id: "2", name: "Write", input: { path: "a" } });
    await settle();
    verdict = { behavior: "allow" };
    end(executor);
    await settle();
    read.open[0]?.resolve();
    results[name] = [(await textsOf(executor))[2], asked];
  }
  expect(results).toEqual({
    stop: [expect.stringMatching(/^Not run/), []],
    rules: ["wrote a", []],
    discard: [undefined, []],
  });
});

test("any number of questions that wait for each other's calls are asked one after the other", async () => {
  const { asked, ask } = person();
  const tool = simple("Write", ({ path }) => `wrote ${path}`, { ...writer, check: () => {} });
  const executor = newExecutor([tool], { ask, canUseTool: asks });
  const ids = Array.from({ length: 500 }, (_, at) => String(at));
  for (const id of ids) executor.add(write(id, "a"));
  await textsOf(executor);
  expect(asked).toEqual(ids);
});

test("a queued question is withdrawn when an earlier call starts to block its call", async () => {
  const { asked, ask } = person();
  const moved = controlled("Move", writer);
  let answer = (): void => {};
  const tool = simple("Write", ({ path }) => `wrote ${path}`, {
    ...writer,
    check: () => new Promise<void>((resolve) => (answer = resolve)),
  });
  const executor = newExecutor([moved.tool, tool], {
    ask,
    canUseTool: ({ name }) => ({ behavior: name === "Move" ? "allow" : "ask" }),
    hooks: {
      matches: ({ tool: { name } }) => name === "Move",
      preToolUse: async () => {
        await settle();
        return { input: { path: "b" } };
      },
    },
  });
  executor.add({ id: "1", name: "Move", input: { path: "a" } });
  executor.add(write("2", "b"));
  await settle();
  await settle();
  answer();
  await settle();
  expect(asked).toEqual([]);
  moved.open[0]?.resolve();
  await settle();
  answer();
  expect(await textsOf(executor)).toEqual({ 1: "Move b", 2: "wrote b" });
  expect(asked).toEqual(["2"]);
});

test("questions stay in the model's order, even if the check of the first one is slow", async () => {
  const { asked, ask } = person();
  const slow = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await settle();
  };
  const tool = simple("Write", ({ path }) => `wrote ${path}`, {
    access: () => [{ mode: "write", place: "*" }],
    check: slow,
  });
  const executor = newExecutor([tool], { ask, canUseTool: asks });
  for (const id of ["1", "2", "3"]) executor.add(write(id, id));
  await textsOf(executor);
  expect(asked).toEqual(["1", "2", "3"]);
});

test("a question that is withdrawn while its call is checked is not asked", async () => {
  const { asked, ask } = person();
  let permits = false;
  const tool = simple("Write", ({ path }) => `wrote ${path}`, {
    ...writer,
    check: () => {
      permits = true;
      executor.permissionsChanged();
    },
  });
  const executor = newExecutor([tool], {
    ask,
    canUseTool: () => ({ behavior: permits ? "allow" : "ask" }),
  });
  executor.add(write("1", "a"));
  expect(await textsOf(executor)).toEqual({ 1: "wrote a" });
  expect(asked).toEqual([]);
});

test("a verdict can keep a call from being checked", async () => {
  const { asked, ask } = person();
  const tool = simple("Write", ({ path }) => `wrote ${path}`, checked);
  const executor = newExecutor([tool], { ask, canUseTool: () => ({ behavior: "ask", check: false }) });
  executor.add(write("1", "bad"));
  expect(await textsOf(executor)).toEqual({ 1: "wrote bad" });
  expect(asked).toEqual(["1"]);
});

test("a check that never returns does not delay the question", async () => {
  const { asked, ask } = person();
  const clock = new FakeClock();
  const tool = simple("Write", ({ path }) => `wrote ${path}`, {
    ...writer,
    check: () => new Promise<void>(() => {}),
  });
  const executor = newExecutor([tool], { ask, clock, canUseTool: asks });
  executor.add(write("1", "a"));
  await settle();
  expect(asked).toEqual([]);
  clock.advance();
  expect(await textsOf(executor)).toEqual({ 1: "wrote a" });
});

test("a change of the context by a failing check applies to later calls", async () => {
  const { asked, ask } = person();
  const seen: string[] = [];
  const tool = simple("Write", (_, { cwd }) => `wrote in ${cwd}`, {
    access: () => [{ mode: "write", place: "*" }],
    check: ({ path }: { path: string }, { change }: CheckContext) => {
      if (path !== "bad") return;
      change((context) => ({ ...context, cwd: "/moved" }));
      throw Object.assign(new Error("Moved."), { stack: "" });
    },
  });
  const executor = newExecutor([tool], {
    ask,
    context: { cwd: "/start" },
    canUseTool: (_tool, _input, { callId, context }) => {
      seen.push(`${callId} ${context.cwd}`);
      return { behavior: "ask" };
    },
  });
  executor.add(write("1", "bad"));
  executor.add(write("2", "good"));
  expect(await textsOf(executor)).toEqual({ 1: "Error: Moved.", 2: "wrote in /moved" });
  // The question waited for the first call, so it is asked once, in the context that the first call left.
  expect(asked).toEqual(["2"]);
  expect(seen).toEqual(["1 /start", "2 /start", "2 /moved"]);
});
