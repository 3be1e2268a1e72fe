import { expect, test } from "vitest";
import {
  controlled,
  newExecutor,
  paths,
  reader,
  resultsOf,
  settle,
  simple,
  writer,
} from "../../test/support/tools.ts";
import { StreamingToolExecutor } from "./engine.ts";
import { createLocks, isUnlocked } from "./locks.ts";
import { fullJournal } from "./memory-journal.ts";
import type { EngineEvent } from "./notice.ts";
import type { ExecutorOptions } from "./options.ts";
import { recoverTurn } from "./recover.ts";
import type { AnyTool } from "./tool.ts";

/** Executors with the same tools and the same locks. */
function sideBySide(count: number, tools: readonly AnyTool[], given: Partial<ExecutorOptions> = {}) {
  const locks = given.locks ?? createLocks();
  const executors = Array.from({ length: count }, (_, at) =>
    newExecutor(tools, { owner: `agent-${at}`, ...given, locks }),
  ) as [StreamingToolExecutor, StreamingToolExecutor, ...StreamingToolExecutor[]];
  return { locks, executors };
}

function add(executor: StreamingToolExecutor, name: string, ...given: string[]): void {
  for (const path of given) executor.add({ id: `${name}-${path}`, name, input: { path } });
}

const outcomesOf = async (executor: StreamingToolExecutor): Promise<string[]> =>
  (await resultsOf(executor)).map(({ outcome }) => outcome.type);

test("of two executors' calls that conflict, one waits until the other has settled; others do not wait", async () => {
  const edit = controlled("Edit", writer);
  const read = controlled("Read", reader);
  const { locks, executors } = sideBySide(2, [edit.tool, read.tool]);
  add(executors[0], "Edit", "a");
  add(executors[1], "Edit", "a", "b");
  add(executors[1], "Read", "c");
  expect([paths(edit.open), paths(read.open)]).toEqual([["a", "b"], ["c"]]);
  edit.open[0]?.resolve();
  await settle();
  expect(paths(edit.open)).toEqual(["b", "a"]);
  for (const call of [...edit.open, ...read.open]) call.resolve();
  expect(await outcomesOf(executors[0])).toEqual(["succeeded"]);
  expect(await outcomesOf(executors[1])).toEqual(["succeeded", "succeeded", "succeeded"]);
  expect(isUnlocked(locks)).toBe(true);
});

/** The second executor waits for the first, and only its place in the queue keeps the third waiting. */
function inARow(given: Partial<ExecutorOptions> = {}) {
  const edit = controlled("Edit", {
    access: ({ path }) => path.split("").map((name) => ({ mode: "write", place: `fs:/${name}` }) as const),
  });
  const { executors } = sideBySide(3, [edit.tool], given);
  for (const [at, path] of ["a", "ab", "b"].entries()) add(executors[at] as never, "Edit", path);
  expect(paths(edit.open)).toEqual(["a"]);
  return { edit, executors };
}

test("new rules hold for every executor, whichever of them hears of the change first", async () => {
  let behavior: "allow" | "deny" = "allow";
  const { edit, executors } = inARow({ canUseTool: () => ({ behavior }) });
  behavior = "deny";
  for (const executor of executors) executor.permissionsChanged();
  for (const call of [...edit.open]) call.resolve();
  expect(await Promise.all(executors.map(outcomesOf))).toEqual([["succeeded"], ["denied"], ["denied"]]);
});

test("executors that are stopped one after the other start nothing in between", async () => {
  const { edit, executors } = inARow();
  for (const executor of executors) executor.interrupt("stop");
  await settle();
  expect(paths(edit.open)).toEqual(["a"]);
  for (const call of [...edit.open]) call.resolve();
  expect(await Promise.all(executors.map(outcomesOf))).toEqual([["aborted"], ["aborted"], ["aborted"]]);
});

test("first come, first served: a writer of everything is not overtaken by readers that come later", async () => {
  const read = controlled("Read", reader);
  const all = controlled("Bash");
  const { executors } = sideBySide(3, [read.tool, all.tool]);
  const [first, second, third] = executors as unknown as [
    StreamingToolExecutor,
    StreamingToolExecutor,
    StreamingToolExecutor,
  ];
  add(first, "Read", "a");
  add(second, "Bash", "all");
  add(third, "Read", "b");
  expect([paths(read.open), paths(all.open)]).toEqual([["a"], []]);
  read.open[0]?.resolve();
  await settle();
  expect([paths(read.open), paths(all.open)]).toEqual([[], ["all"]]);
  all.open[0]?.resolve();
  await settle();
  expect(paths(read.open)).toEqual(["b"]);
});

test("the limit of running calls is one over all executors", async () => {
  const read = controlled("Read", reader);
  const { executors } = sideBySide(3, [read.tool], { locks: createLocks({ maxConcurrency: 2 }) });
  for (const executor of executors) add(executor, "Read", "a", "b");
  expect(read.open).toHaveLength(2);
  for (let left = 6; left > 0; left--) {
    expect(read.open).toHaveLength(Math.min(2, left));
    read.open[0]?.resolve();
    await settle();
  }
});

test("a limit on a place or a tool keeps only those calls waiting that it is for", async () => {
  const issue = controlled("Issue", {
    isReadOnly: () => true,
    access: ({ path }) => [{ mode: "read", place: `mcp:/github/${path}` }],
  });
  const fetch = controlled("Fetch", { isReadOnly: () => true, access: () => [] });
  const read = controlled("Read", reader);
  const locks = createLocks({ limits: { "mcp:/github": 2, "tool:/Fetch": 1 } });
  const { executors } = sideBySide(2, [issue.tool, fetch.tool, read.tool], { locks });
  for (const executor of executors)
    for (const name of ["Issue", "Fetch", "Read"]) add(executor, name, "1", "2");
  expect([issue.open.length, fetch.open.length, read.open.length]).toEqual([2, 1, 4]);
  issue.open[0]?.resolve();
  fetch.open[0]?.resolve();
  await settle();
  expect([issue.open.length, fetch.open.length, read.open.length]).toEqual([2, 1, 4]);
});

test("calls that delegate run together and beside a full limit, after what comes before them and before what comes after", async () => {
  const read = controlled("Read", reader);
  const none = controlled("Sleep", { isReadOnly: () => true, access: () => [] });
  const agent = controlled("Agent", { delegates: true });
  const executor = newExecutor([read.tool, none.tool, agent.tool], {
    locks: createLocks({ maxConcurrency: 1 }),
  });
  add(executor, "Read", "a");
  add(executor, "Agent", "1", "2");
  add(executor, "Read", "b");
  add(executor, "Sleep", "c");
  add(executor, "Agent", "3");
  const open = () => [paths(read.open), paths(agent.open), paths(none.open)];
  expect(open()).toEqual([["a"], [], []]);
  read.open[0]?.resolve();
  await settle();
  expect(open()).toEqual([[], ["1", "2"], []]);
  agent.open[0]?.resolve();
  await settle();
  expect(open()).toEqual([[], ["2"], []]);
  agent.open[0]?.resolve();
  await settle();
  expect(open()).toEqual([["b"], [], []]);
  read.open[0]?.resolve();
  await settle();
  expect(open()).toEqual([[], [], ["c"]]);
  none.open[0]?.resolve();
  await settle();
  expect(open()).toEqual([[], ["3"], []]);
});

test("a sub-agent's calls are not kept waiting by a later call of its parent that waits for the sub-agent", async () => {
  const locks = createLocks({ maxConcurrency: 1 });
  const order: string[] = [];
  const edit = simple(
    "Edit",
    ({ path }) => {
      order.push(path);
    },
    writer,
  );
  const agent = simple(
    "Agent",
    async ({ path }) => {
      const inner = newExecutor([edit], { locks, owner: path });
      inner.add({ id: "inner", name: "Edit", input: { path: `${path}/x` } });
      await resultsOf(inner);
    },
    { delegates: true },
  );
  const outer = newExecutor([edit, agent], { locks });
  outer.add({ id: "1", name: "Agent", input: { path: "one" } });
  outer.add({ id: "2", name: "Agent", input: { path: "two" } });
  outer.add({ id: "3", name: "Edit", input: { path: "after" } });
  expect(await outcomesOf(outer)).toEqual(["succeeded", "succeeded", "succeeded"]);
  expect(order).toEqual(["one/x", "two/x", "after"]);
  expect(isUnlocked(locks)).toBe(true);
});

test("a call that waits for another executor's call says for which one", () => {
  const edit = controlled("Edit", writer);
  const events: EngineEvent[] = [];
  const { executors } = sideBySide(2, [edit.tool], { onEvent: (event) => events.push(event) });
  add(executors[0], "Edit", "a");
  executors[1].add({ id: "later", name: "Edit", input: { path: "a" } });
  const waits = events.filter((event) => event.type === "call-changed" && event.waitsFor !== undefined);
  expect(waits).toMatchObject([
    {
      callId: "later",
      toolName: "Edit",
      state: "waiting",
      status: "queued",
      waitsFor: { callId: "Edit-a", toolName: "Edit", owner: "agent-0" },
    },
  ]);
});

test("an executor that is stopped or discarded gives back what it holds and what it waits for", async () => {
  const edit = controlled("Edit", writer);
  const { locks, executors } = sideBySide(4, [edit.tool]);
  for (const executor of executors) add(executor, "Edit", "a");
  executors[1].interrupt("stop");
  executors[2]?.discard();
  edit.open[0]?.resolve();
  await settle();
  expect(paths(edit.open)).toEqual(["a"]);
  edit.open[0]?.resolve();
  await settle();
  expect(await outcomesOf(executors[1])).toEqual(["aborted"]);
  expect(isUnlocked(locks)).toBe(true);
});

test("a call that is judged again while it waits gives up its place and asks anew", async () => {
  const edit = controlled("Edit", writer);
  let isDenied = false;
  const { locks, executors } = sideBySide(2, [edit.tool], {
    canUseTool: () => ({ behavior: isDenied ? "deny" : "allow" }),
  });
  add(executors[0], "Edit", "a");
  add(executors[1], "Edit", "a");
  isDenied = true;
  executors[1].permissionsChanged();
  edit.open[0]?.resolve();
  await settle();
  expect(edit.open).toEqual([]);
  expect(await outcomesOf(executors[1])).toEqual(["denied"]);
  expect(isUnlocked(locks)).toBe(true);
});

test("what was queued when the program died never started, and what was granted is not lost", async () => {
  const edit = controlled("Edit", writer);
  const journal = fullJournal();
  const { executors } = sideBySide(1, [edit.tool]);
  const locks = createLocks();
  const first = newExecutor([edit.tool], { locks });
  const second = newExecutor([edit.tool], { locks, journal });
  expect(executors).toHaveLength(1);
  add(first, "Edit", "a");
  add(second, "Edit", "a");
  expect(recoverTurn(journal.events).map(({ fate }) => fate)).toEqual(["never-started"]);
  edit.open[0]?.resolve();
  await settle();
  expect(recoverTurn(journal.events).map(({ fate }) => fate)).toEqual(["unknown"]);
  expect(journal.events.map(({ type }) => type)).toEqual([
    "call-arrived",
    "call-queued",
    "call-granted",
    "call-launched",
  ]);
});

test("a call without contention is recorded as without locks", async () => {
  const [plain, locked] = [fullJournal(), fullJournal()];
  const edit = simple("Edit", () => "done", writer);
  for (const options of [{ journal: plain }, { journal: locked, locks: createLocks() }]) {
    const executor = newExecutor([edit], options);
    add(executor, "Edit", "a", "a", "b");
    await resultsOf(executor);
  }
  expect(locked.events.map(({ type }) => type)).toEqual(plain.events.map(({ type }) => type));
});

test("thousands of calls that end at once do not overflow the stack", async () => {
  const gate = controlled("Bash");
  const edit = simple("Edit", () => "done", writer);
  const { locks, executors } = sideBySide(2, [gate.tool, edit], {
    locks: createLocks({ maxConcurrency: 1 }),
  });
  add(executors[0], "Bash", "all");
  const many = Array.from({ length: 4_000 }, (_, at) =>
    at % 2 === 0 ? executors[1] : newExecutor([edit], { locks }),
  );
  for (const [at, executor] of many.entries())
    executor.add({ id: `${at}`, name: "Edit", input: { path: `${at % 3}` } });
  gate.open[0]?.resolve();
  const outcomes = await Promise.all([...new Set(many)].map(outcomesOf));
  expect(outcomes.flat().filter((type) => type === "succeeded")).toHaveLength(4_000);
  expect(isUnlocked(locks)).toBe(true);
});

test.each<[string, () => unknown, string]>([
  ["an unknown option", () => createLocks({ max: 3 } as never), 'unknown option "max"'],
  ["a limit that is not one", () => createLocks({ maxConcurrency: 0 }), "must be a whole number"],
  ["a limit on what is not a place", () => createLocks({ limits: { github: 2 } }), 'Write "mcp:/github"'],
  ["a limit of a place that is not one", () => createLocks({ limits: { "mcp:/a": 1.5 } }), "whole number"],
  ["limits that are not an object", () => createLocks({ limits: 3 as never }), "must be an object"],
  [
    "locks that do not come from createLocks",
    () => new StreamingToolExecutor({ tools: [], locks: { maxConcurrency: 3 } }),
    "must come from createLocks()",
  ],
  [
    "an owner that is not a string",
    () => new StreamingToolExecutor({ tools: [], owner: 3 as never }),
    "owner must be a string",
  ],
  [
    "a tool that delegates neither yes nor no",
    () => newExecutor([{ ...simple("T", () => ""), delegates: "yes" as never }]),
    "delegates must be true or false",
  ],
])("%s is answered at once", (_, make, message) => {
  expect(make).toThrow(message);
});
