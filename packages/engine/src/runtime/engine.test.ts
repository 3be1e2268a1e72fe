import { expect, test } from "vitest";
import { z } from "zod";
import {
  controlled,
  newExecutor,
  paths,
  reader,
  resultsOf,
  settle,
  simple,
  textsOf,
  writer,
} from "../../test/support/tools.ts";
import { runTools } from "./run-tools.ts";
import { StreamingToolExecutor } from "./engine.ts";
import type { EngineEvent } from "./notice.ts";
import type { Update } from "./outbox.ts";
import { defineTool } from "./tool.ts";

test("a call starts the moment it is added, before the response has ended", () => {
  const { tool, open } = controlled("Read", reader);
  const executor = newExecutor([tool]);
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  expect(paths(open)).toEqual(["a"]);
});

test("without declared access, reads run in parallel and a write runs alone, in order", async () => {
  const read = controlled("Read", { isReadOnly: () => true });
  const write = controlled("Write");
  const executor = newExecutor([read.tool, write.tool]);
  for (const [id, name] of [
    ["1", "Read"],
    ["2", "Read"],
    ["3", "Write"],
    ["4", "Read"],
  ] as const) {
    executor.add({ id, name, input: { path: id } });
  }
  expect([paths(read.open), paths(write.open)]).toEqual([["1", "2"], []]);
  read.open[0]?.resolve();
  read.open[0]?.resolve();
  await settle();
  expect([paths(read.open), paths(write.open)]).toEqual([[], ["3"]]);
  write.open[0]?.resolve();
  await settle();
  expect([paths(read.open), paths(write.open)]).toEqual([["4"], []]);
  read.open[0]?.resolve();
  expect(Object.keys(await textsOf(executor))).toEqual(["1", "2", "3", "4"]);
});

test("with declared access, edits of different files and a read of a third file run in parallel", () => {
  const read = controlled("Read", reader);
  const edit = controlled("Edit", writer);
  const executor = newExecutor([read.tool, edit.tool]);
  executor.add({ id: "1", name: "Edit", input: { path: "a" } });
  executor.add({ id: "2", name: "Edit", input: { path: "b" } });
  executor.add({ id: "3", name: "Read", input: { path: "c" } });
  expect([paths(edit.open), paths(read.open)]).toEqual([["a", "b"], ["c"]]);
});

test("a write to a file waits for a search of its folder", async () => {
  const search = controlled("Search", reader);
  const edit = controlled("Edit", writer);
  const executor = newExecutor([search.tool, edit.tool]);
  executor.add({ id: "1", name: "Search", input: { path: "src" } });
  executor.add({ id: "2", name: "Edit", input: { path: "src/a.ts" } });
  expect(edit.open).toEqual([]);
  search.open[0]?.resolve();
  await settle();
  expect(paths(edit.open)).toEqual(["src/a.ts"]);
});

test("B08: of 128 calls, at most `limit` run at a time, and all results arrive in order", async () => {
  let running = 0;
  let most = 0;
  const tool = simple(
    "Read",
    async () => {
      most = Math.max(most, ++running);
      await settle();
      running--;
    },
    reader,
  );
  const executor = newExecutor([tool], { limit: 7 });
  const ids = Array.from({ length: 128 }, (_, at) => `call-${at}`);
  for (const id of ids) executor.add({ id, name: "Read", input: { path: id } });
  const results = await resultsOf(executor);
  expect(results.map(({ callId }) => callId)).toEqual(ids);
  expect(most).toBe(7);
});

test("results arrive in the model's order, even if the calls end in another order", async () => {
  const { tool, open } = controlled("Read", reader);
  const executor = newExecutor([tool]);
  for (const id of ["1", "2", "3"]) executor.add({ id, name: "Read", input: { path: id } });
  open[2]?.resolve();
  await settle();
  expect([...executor.completed()]).toEqual([]);
  open[0]?.resolve();
  await settle();
  expect([...executor.completed()].map(({ callId }) => callId)).toEqual(["1"]);
  open[0]?.resolve();
  expect((await resultsOf(executor)).map(({ callId }) => callId)).toEqual(["2", "3"]);
});

test("an update has the API's result block, the tool's output and the outcome", async () => {
  const tool = defineTool({
    name: "Add",
    description: "Adds",
    inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
    call: ({ a, b }) => ({ sum: a + b }),
    toResult: ({ sum }) => `The sum is ${sum}`,
  });
  const updates: Update[] = [];
  for await (const update of runTools([{ id: "1", name: "Add", input: { a: 2 } }], { tools: [tool] }))
    updates.push(update);
  const content = "The sum is 3";
  expect(updates).toEqual([
    {
      type: "result",
      callId: "1",
      result: { type: "tool_result", tool_use_id: "1", content, is_error: false },
      output: { sum: 3 },
      outcome: { type: "succeeded", content },
    },
  ]);
});

test("progress arrives at once and never after the result", async () => {
  const { tool, open } = controlled("Bash");
  const heard: unknown[] = [];
  const executor = newExecutor([tool], {
    onEvent: (event) => void (event.type === "call-progress" && heard.push(event.data)),
  });
  executor.add({ id: "1", name: "Bash", input: { path: "x" } });
  const call = open[0];
  call?.context.progress({ type: "status", message: "begun" });
  expect(heard).toEqual([{ type: "status", message: "begun" }]);
  expect([...executor.completed()]).toEqual([
    { type: "progress", callId: "1", data: { type: "status", message: "begun" } },
  ]);
  call?.resolve("done");
  await settle();
  call?.context.progress("too late");
  expect((await resultsOf(executor)).map(({ result }) => result.content)).toEqual(["done"]);
  expect(heard).toHaveLength(1);
});

test("C07: a flood of a million progress reports is bounded, the latest are kept, and none blocks the tool", async () => {
  const tool = simple("Bash", (_input, { progress }) => {
    for (let at = 0; at < 1_000_000; at++) progress(at);
    return "done";
  });
  const executor = newExecutor([tool]);
  executor.add({ id: "1", name: "Bash", input: { path: "x" } });
  const updates = [...executor.completed()];
  expect(updates.length).toBeLessThan(300);
  expect(updates.at(-2)).toEqual({ type: "progress", callId: "1", data: 999_999 });
  expect(updates.at(-1)?.type).toBe("result");
});

for (const start of ["eager", "reads", "after"] as const) {
  test(`start: "${start}" gives the same results`, async () => {
    const read = simple("Read", ({ path }) => `read ${path}`, reader);
    const write = simple("Write", async ({ path }) => `wrote ${path}`, writer);
    const executor = newExecutor([read, write], { start });
    executor.add({ id: "1", name: "Read", input: { path: "a" } });
    executor.add({ id: "2", name: "Write", input: { path: "a" } });
    executor.add({ id: "3", name: "Read", input: { path: "a" } });
    expect(await textsOf(executor)).toEqual({ 1: "read a", 2: "wrote a", 3: "read a" });
  });
}

test('"reads" holds writers until the response has ended normally, "after" holds all calls', async () => {
  for (const [start, before] of [
    ["reads", ["r"]],
    ["after", []],
  ] as const) {
    const read = controlled("Read", reader);
    const write = controlled("Write", writer);
    const executor = newExecutor([read.tool, write.tool], { start });
    executor.add({ id: "1", name: "Read", input: { path: "r" } });
    executor.add({ id: "2", name: "Write", input: { path: "w" } });
    expect([...paths(read.open), ...paths(write.open)]).toEqual(before);
    executor.end({ ok: true });
    expect([...paths(read.open), ...paths(write.open)]).toEqual(["r", "w"]);
  }
});

test("listeners see queued, executing, completed and yielded, each with its time", async () => {
  const { tool, open } = controlled("Write", writer);
  const events: EngineEvent[] = [];
  const executor = newExecutor([tool], { onEvent: (event) => void events.push(event) });
  executor.add({ id: "1", name: "Write", input: { path: "a" } });
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  expect([...executor.inProgress]).toEqual(["1"]);
  open[0]?.resolve();
  await settle();
  open[0]?.resolve();
  await resultsOf(executor);
  const statuses = events.flatMap((event) =>
    "status" in event && event.callId === "2" ? [event.status] : [],
  );
  expect(statuses).toEqual(["queued", "executing", "completed", "yielded"]);
  const times = events.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(executor.inProgress.size).toBe(0);
});

test("changes to the context apply in the model's order, and later calls see them", async () => {
  const seen: string[] = [];
  const change = controlled("Cd", { access: () => [{ mode: "write", place: "context:/cwd" }] });
  const look = simple("Pwd", (_input, { cwd }) => void seen.push(cwd), {
    access: () => [{ mode: "read", place: "context:/cwd" }],
  });
  const executor = newExecutor([change.tool, look], { context: { cwd: "/start" } });
  executor.add({ id: "1", name: "Cd", input: { path: "sub" } });
  executor.add({ id: "2", name: "Pwd", input: { path: "" } });
  change.open[0]?.context.change((context) => ({ ...context, cwd: `${context.cwd}/sub` }));
  expect(executor.context.cwd).toBe("/start");
  change.open[0]?.resolve();
  await resultsOf(executor);
  expect(seen).toEqual(["/start/sub"]);
  expect(executor.context.cwd).toBe("/start/sub");
});

test("after a change of the working directory, relative paths of later calls are claimed and judged again", async () => {
  const cd = controlled("Cd", { access: () => [{ mode: "write", place: "context:/cwd" }] });
  const relative: Parameters<typeof controlled>[1] = {
    access: ({ path }, { cwd }) => [
      { mode: "read", place: "context:/cwd" },
      { mode: "write", place: `fs:${cwd}/${path}` },
    ],
  };
  const write = controlled("Write", relative);
  const judged: string[] = [];
  const executor = newExecutor([cd.tool, write.tool], {
    context: { cwd: "/start" },
    canUseTool: (tool, _input, { context }) => {
      if (tool.name === "Write") judged.push(context.cwd);
      return { behavior: "allow" };
    },
  });
  executor.add({ id: "1", name: "Cd", input: { path: "sub" } });
  executor.add({ id: "2", name: "Write", input: { path: "a" } });
  cd.open[0]?.context.change((context) => ({ ...context, cwd: "/start/sub" }));
  cd.open[0]?.resolve();
  await settle();
  expect(judged).toEqual(["/start", "/start/sub"]);
  expect(write.open.map(({ context }) => context.cwd)).toEqual(["/start/sub"]);
  // Another spelling of the file that the second call now writes must wait for it.
  executor.add({ id: "3", name: "Write", input: { path: "../sub/a" } });
  await settle();
  expect(write.open).toHaveLength(1);
  write.open[0]?.resolve();
  await settle();
  expect(write.open).toHaveLength(1);
  write.open[0]?.resolve();
  expect(Object.keys(await textsOf(executor))).toEqual(["1", "2", "3"]);
});

test("calls run and settle even if nobody reads the updates", async () => {
  const { tool, open } = controlled("Read", reader);
  const executor = newExecutor([tool]);
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  open[0]?.resolve();
  await settle();
  expect(executor.inProgress.size).toBe(0);
});

test("an alias finds its tool", async () => {
  const tool = simple("Read", () => "here", { ...reader, aliases: ["FileRead"] });
  const executor = newExecutor([tool]);
  executor.add({ id: "1", name: "FileRead", input: { path: "a" } });
  expect(await textsOf(executor)).toEqual({ 1: "here" });
});

test("the constructor reports invalid options by name", () => {
  const { tool } = controlled("Read");
  const make = (options: object) => () => new StreamingToolExecutor({ tools: [tool], ...options });
  expect(make({ limit: 0 })).toThrow("limit must be a whole number of at least 1, not 0.");
  expect(make({ limit: 1.5 })).toThrow("limit");
  expect(make({ tools: [tool, tool] })).toThrow('Two tools are called "Read".');
  expect(make({ tools: [{ ...tool, inputSchema: undefined }] })).toThrow(
    'Tool "Read" has no input schema. Set inputSchema.',
  );
  expect(make({ start: "soon" })).toThrow('start must be "eager", "reads" or "after", not "soon".');
});

test("add() after end() throws", () => {
  const { tool } = controlled("Read");
  const executor = newExecutor([tool]);
  executor.end();
  expect(() => executor.add({ id: "1", name: "Read", input: { path: "a" } })).toThrow('add("1") after end()');
});

test("A13, B05: a call with a repeated id does not run again; add() and an event report it", async () => {
  let runs = 0;
  const events: string[] = [];
  const tool = simple("Write", () => ++runs, writer);
  const executor = newExecutor([tool], { onEvent: ({ type }) => void events.push(type) });
  expect(executor.add({ id: "1", name: "Write", input: { path: "a" } })).toBe(true);
  expect(executor.add({ id: "1", name: "Write", input: { path: "b" } })).toBe(false);
  expect(await textsOf(executor)).toEqual({ 1: "1" });
  expect(events.filter((type) => type === "call-duplicated")).toHaveLength(1);
});

test.each(["a listener", "hooks.matches", "a declaration"])(
  "calls that %s adds come after the call that is being added",
  async (from) => {
    const left = ["b", "c"];
    const addNext = (who: string): boolean => {
      const path = who === from ? left.shift() : undefined;
      if (path !== undefined) expect(executor.add({ id: path, name: "T", input: { path } })).toBe(true);
      return true;
    };
    const writes = { mode: "write", place: "kv:/one" } as const;
    const entered: string[] = [];
    const tool = simple("T", ({ path }) => void entered.push(path), {
      access: () => (addNext("a declaration") ? [writes] : []),
    });
    const executor: StreamingToolExecutor = newExecutor([tool], {
      hooks: from === "hooks.matches" ? { matches: () => addNext(from), preToolUse: () => undefined } : {},
      onEvent: () => void addNext("a listener"),
    });
    expect(executor.add({ id: "a", name: "T", input: { path: "a" } })).toBe(true);
    expect((await resultsOf(executor)).map(({ callId }) => callId)).toEqual(["a", "b", "c"]);
    expect(entered).toEqual(["a", "b", "c"]);
  },
);

test("an id is known from the moment it is added, also while another event is being recorded", async () => {
  const ran: string[] = [];
  const added: boolean[] = [];
  const executor: StreamingToolExecutor = newExecutor([simple("T", ({ path }) => void ran.push(path))], {
    journal: {
      record: () => {
        throw new Error("the disk is full");
      },
    },
    onEvent: ({ type }) => {
      if (type === "journal-failed" && added.length < 3)
        added.push(executor.add({ id: "2", name: "T", input: { path: `${added.length}` } }));
    },
  });
  executor.add({ id: "1", name: "T", input: { path: "first" } });
  await resultsOf(executor);
  expect(added).toEqual([true, false, false]);
  expect(ran).toEqual(["first", "0"]);
});

test("a listener that throws does not affect the turn", async () => {
  const tool = simple("Read", () => "here", reader);
  const warned = new Promise((resolve) => process.once("warning", resolve));
  const executor = newExecutor([tool], {
    onEvent: () => {
      throw new Error("listener");
    },
  });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  expect(await textsOf(executor)).toEqual({ 1: "here" });
  expect(await warned).toMatchObject({ name: "RunaheadWarning" });
});

test("remaining() without end() means that the response ended normally", async () => {
  const tool = simple("Write", () => "written", writer);
  const executor = newExecutor([tool], { start: "after" });
  executor.add({ id: "1", name: "Write", input: { path: "a" } });
  expect(await textsOf(executor)).toEqual({ 1: "written" });
});
