import { expect, test } from "vitest";
import { z } from "zod";
import { controlled, settle, simple } from "../../test/support/tools.ts";
import { createLocks } from "../runtime/locks.ts";
import { StreamingToolExecutor } from "../runtime/engine.ts";
import type { ExecutorOptions } from "../runtime/options.ts";
import { type AnyTool, type Tool, defineTool } from "../runtime/tool.ts";
import { type ToolCache, type ToolCacheView, createToolCache } from "./tool-cache.ts";

const reads = { isReadOnly: () => true, cache: true } as const;
const claims = (mode: "read" | "write") => ({
  access: ({ path }: { path: string }) => [{ mode, place: `mem:/${path}` }],
});

interface World {
  readonly files: Map<string, string>;
  readonly runs: string[];
  readonly read: AnyTool;
  readonly write: AnyTool;
}

function world(members: Partial<Tool<unknown, unknown>> = {}): World {
  const files = new Map<string, string>();
  const runs: string[] = [];
  const call = ({ path }: { path: string }): string => {
    runs.push(path);
    return `${path}: ${files.get(path) ?? "nothing"}`;
  };
  const read = { ...simple("Read", call, { ...reads, ...claims("read") }), ...members } as AnyTool;
  const write = defineTool({
    name: "Write",
    description: "Write",
    inputSchema: z.object({ path: z.string(), text: z.string() }),
    access: ({ path }) => [{ mode: "write", place: `mem:/${path}` }],
    call: ({ path, text }) => {
      files.set(path, text);
      return "written";
    },
  }) as AnyTool;
  return { files, runs, read, write };
}

let lastId = 0;

/** Runs calls as one response, and returns what the model reads. */
async function respond(
  tools: readonly AnyTool[],
  calls: readonly (readonly [name: string, input: object])[],
  options: Partial<ExecutorOptions> = {},
): Promise<unknown[]> {
  const executor = new StreamingToolExecutor({ tools, ...options });
  for (const [name, input] of calls) executor.add({ id: `call-${++lastId}`, name, input });
  const results: unknown[] = [];
  for await (const update of executor.remaining())
    if (update.type === "result") results.push(update.result.content);
  return results;
}

test("a second call with the same input does not run, in whatever order its members come", async () => {
  const runs: unknown[] = [];
  const read = defineTool({
    name: "Read",
    description: "Read",
    inputSchema: z.object({ path: z.string(), from: z.number().optional() }),
    ...reads,
    call: (input) => {
      runs.push(input);
      return `run ${runs.length}`;
    },
  });
  const tools = createToolCache().tools([read as AnyTool]);
  expect(await respond(tools, [["Read", { path: "a", from: 1 }]])).toEqual(["run 1"]);
  expect(await respond(tools, [["Read", { from: 1, path: "a" }]])).toEqual(["run 1"]);
  expect(await respond(tools, [["Read", { path: "a", from: 2 }]])).toEqual(["run 2"]);
  expect(await respond(tools, [["Read", { path: "a" }]])).toEqual(["run 3"]);
});

test("a tool without cache runs every time, and so does one that writes", async () => {
  const { runs, read } = world({ cache: false });
  const { runs: written, read: writing } = world({ isReadOnly: () => false });
  for (const tool of [read, writing]) {
    const tools = createToolCache().tools([tool]);
    await respond(tools, [["Read", { path: "a" }]]);
    await respond(tools, [["Read", { path: "a" }]]);
  }
  expect([runs, written]).toEqual([
    ["a", "a"],
    ["a", "a"],
  ]);
});

test("a write of the place, of one above it or of one below it counts, and a write beside it does not", async () => {
  for (const [path, isSeen] of [
    ["d/a", true],
    ["d", true],
    ["d/a/x", true],
    ["d/b", false],
    ["d/aa", false],
  ] as const) {
    const { runs, read, write } = world();
    const tools = createToolCache().tools([read, write]);
    await respond(tools, [["Read", { path: "d/a" }]]);
    await respond(tools, [["Write", { path, text: "new" }]]);
    await respond(tools, [["Read", { path: "d/a" }]]);
    expect([path, runs.length]).toEqual([path, isSeen ? 2 : 1]);
  }
});

test("within one response, a read before a write and one after it are both right", async () => {
  const { files, read, write } = world();
  files.set("a", "old");
  const tools = createToolCache().tools([read, write]);
  const calls = [
    ["Read", { path: "a" }],
    ["Write", { path: "a", text: "new" }],
    ["Read", { path: "a" }],
  ] as const;
  expect(await respond(tools, calls)).toEqual(["a: old", "written", "a: new"]);
  files.set("a", "old");
  expect((await respond(tools, calls)).at(-1)).toBe("a: new");
});

test("a tool without declarations counts as writing everything", async () => {
  const { runs, read } = world();
  const tools = createToolCache().tools([read, simple("Bash", () => "done")]);
  await respond(tools, [["Read", { path: "a" }]]);
  await respond(tools, [["Bash", { path: "" }]]);
  await respond(tools, [["Read", { path: "a" }]]);
  expect(runs).toEqual(["a", "a"]);
});

test("a write that fails or throws at once counts", async () => {
  for (const fail of [() => Promise.reject(new Error("half")), () => never()]) {
    const { runs, read } = world();
    const tools = createToolCache().tools([read, simple("Fail", fail, claims("write"))]);
    await respond(tools, [["Read", { path: "a" }]]);
    await respond(tools, [["Fail", { path: "a" }]]);
    await respond(tools, [["Read", { path: "a" }]]);
    expect(runs).toEqual(["a", "a"]);
  }
});

function never(): never {
  throw new Error("at once");
}

test("a write that was stopped and ignores it counts until its code has ended", async () => {
  const { runs, read } = world();
  const { tool, open } = controlled("Slow", { ...claims("write"), timeoutMs: () => 1 });
  const clock = manualClock();
  const tools = createToolCache().tools([read, tool]);
  await respond(tools, [["Read", { path: "a" }]]);
  const slow = respond(tools, [["Slow", { path: "a" }]], { clock });
  await settle();
  clock.pass(10_000);
  clock.pass(10_000);
  expect(String((await slow)[0])).toMatch(/timed out|time limit|limit/i);
  await respond(tools, [["Read", { path: "a" }]]);
  await respond(tools, [["Read", { path: "a" }]]);
  expect(runs).toEqual(["a", "a", "a"]);
  open[0]?.resolve();
  await settle();
  await respond(tools, [["Read", { path: "a" }]]);
  await respond(tools, [["Read", { path: "a" }]]);
  expect(runs).toEqual(["a", "a", "a", "a"]);
});

test("what was read before a write started is not kept, even if it ends later", async () => {
  const { tool, open } = controlled("Read", { ...reads, ...claims("read"), timeoutMs: () => 1 });
  const clock = manualClock();
  const { write } = world();
  const tools = createToolCache().tools([tool, write]);
  const first = respond(tools, [["Read", { path: "a" }]], { clock });
  await settle();
  clock.pass(10_000);
  clock.pass(10_000);
  await first;
  await respond(tools, [["Write", { path: "a", text: "new" }]]);
  open[0]?.resolve("old");
  await settle();
  // With a clock that stands still, because the limit of this call is a millisecond.
  const second = respond(tools, [["Read", { path: "a" }]], { clock });
  await settle();
  open[0]?.resolve("new");
  expect(await second).toEqual(["new"]);
});

test("a write of another executor with the same cache counts, while it runs and after it", async () => {
  const { runs, read } = world();
  const { tool, open } = controlled("Slow", { access: () => [{ mode: "write", place: "mem:/b" }] });
  const locks = createLocks();
  const cache = createToolCache();
  const tools = cache.tools([read, tool]);
  await respond(tools, [["Read", { path: "b/x" }]], { locks });
  const slow = respond(tools, [["Slow", { path: "" }]], { locks });
  await settle();
  // Without the locks, so that it runs at the same time.
  await respond(tools, [["Read", { path: "b/x" }]]);
  await respond(tools, [["Read", { path: "b/x" }]]);
  expect(runs.length).toBe(3);
  open[0]?.resolve();
  await slow;
  await respond(tools, [["Read", { path: "b/x" }]], { locks });
  await respond(tools, [["Read", { path: "b/x" }]], { locks });
  expect(runs.length).toBe(4);
});

test("a changed stamp makes the call run, and so does a stamp that is missing or fails", async () => {
  const stamps: unknown[] = ["1", "1", "2", "2", undefined, "2", new Error("x"), 7];
  const expected = [1, 1, 2, 2, 3, 4, 5, 6];
  const { runs, read } = world({
    stamp: () => {
      const next = stamps.shift();
      if (next instanceof Error) throw next;
      return next as string;
    },
  });
  const tools = createToolCache().tools([read]);
  const seen: number[] = [];
  while (stamps.length > 0) {
    await respond(tools, [["Read", { path: "a" }]]);
    seen.push(runs.length);
  }
  expect(seen).toEqual(expected);
});

test("the stamp is taken before the tool runs, so a change during the run is noticed", async () => {
  let version = 1;
  const { runs, read } = world({ stamp: () => String(version) });
  const call = read.call.bind(read);
  const changing = { ...read, call: (...args: Parameters<typeof call>) => (version++, call(...args)) };
  const tools = createToolCache().tools([changing as AnyTool]);
  await respond(tools, [["Read", { path: "a" }]]);
  await respond(tools, [["Read", { path: "a" }]]);
  expect(runs.length).toBe(2);
});

test("a call that is stopped while its stamp is taken does not run", async () => {
  const { runs, read } = world({ stamp: () => settle().then(() => "1") });
  const executor = new StreamingToolExecutor({ tools: createToolCache().tools([read]) });
  executor.add({ id: "1", name: "Read", input: { path: "a" } });
  executor.interrupt("stop");
  for await (const _update of executor.remaining());
  expect(runs).toEqual([]);
});

test("while something else is busy every call runs, and nothing from before is used afterwards", async () => {
  let isBusy = false;
  const { runs, read } = world();
  const tools = createToolCache({ isBusy: () => isBusy }).tools([read]);
  const once = () => respond(tools, [["Read", { path: "a" }]]);
  await once();
  isBusy = true;
  await once();
  await once();
  isBusy = false;
  await once();
  await once();
  expect(runs.length).toBe(4);
});

test("changed() reports what no call has written", async () => {
  const { runs, read } = world();
  const cache = createToolCache();
  const tools = cache.tools([read]);
  const once = () => respond(tools, [["Read", { path: "a" }]]);
  await once();
  cache.changed("mem:/b");
  await once();
  expect(runs.length).toBe(1);
  cache.changed("mem:/a");
  await once();
  cache.changed();
  await once();
  expect(runs.length).toBe(3);
});

test("errors are not kept", async () => {
  let runs = 0;
  const read = simple("Read", () => (runs++ === 0 ? never() : "fine"), { ...reads, ...claims("read") });
  const tools = createToolCache().tools([read]);
  expect(await respond(tools, [["Read", { path: "a" }]])).toEqual([expect.stringContaining("at once")]);
  expect(await respond(tools, [["Read", { path: "a" }]])).toEqual(["fine"]);
});

test("another folder or another value in the context is another result; another agent is not", async () => {
  const { runs, read } = world();
  const tools = createToolCache().tools([read]);
  const contexts = [
    { cwd: "/a" },
    { cwd: "/b" },
    { cwd: "/b", agent: { id: "agent-1", type: "x" } },
    { cwd: "/b", tenant: 1 },
    { cwd: "/b", tenant: 2 },
  ];
  const seen: number[] = [];
  for (const context of contexts) {
    await respond(tools, [["Read", { path: "a" }]], { context });
    seen.push(runs.length);
  }
  expect(seen).toEqual([1, 2, 2, 3, 4]);
});

test("an output that its reader changes is kept as it was", async () => {
  const list = { names: ["a"], more: { count: 1, at: new Date(0) } };
  const read = simple("Read", () => list, { ...reads, ...claims("read") });
  const tools = createToolCache().tools([read]);
  const outputs: (typeof list)[] = [];
  for (let at = 0; at < 3; at++) {
    const executor = new StreamingToolExecutor({ tools });
    executor.add({ id: `changed-${at}`, name: "Read", input: { path: "a" } });
    for await (const update of executor.remaining()) {
      if (update.type !== "result") continue;
      const output = update.output as typeof list;
      outputs.push(structuredClone(output));
      output.names.push("changed");
      output.more.count++;
    }
  }
  const first = { names: ["a"], more: { count: 1, at: new Date(0) } };
  expect(outputs).toEqual([first, first, first]);
});

test("a call that changed the context runs again, because an earlier result cannot change it", async () => {
  let runs = 0;
  const move = simple("Move", (_input, { change }) => (change((context) => ({ ...context })), ++runs), {
    ...reads,
    ...claims("read"),
  });
  const tools = createToolCache().tools([move]);
  await respond(tools, [["Move", { path: "a" }]]);
  await respond(tools, [["Move", { path: "a" }]]);
  expect(runs).toBe(2);
});

test("permissions and hooks apply to a call whose result is known", async () => {
  const { runs, read } = world();
  const tools = createToolCache().tools([read]);
  await respond(tools, [["Read", { path: "a" }]]);
  const hooked: string[] = [];
  const hooks = {
    preToolUse: () => void hooked.push("before"),
    postToolUse: () => (hooked.push("after"), { addition: "and more" }),
  };
  expect(await respond(tools, [["Read", { path: "a" }]], { hooks })).toEqual(["a: nothing\nand more"]);
  const canUseTool = () => ({ behavior: "deny", reason: "not now" }) as const;
  expect(await respond(tools, [["Read", { path: "a" }]], { canUseTool })).toEqual([
    expect.stringContaining("not now"),
  ]);
  expect([hooked, runs]).toEqual([["before", "after"], ["a"]]);
});

const LONG = "x".repeat(1_000);

function viewOf(isShown: boolean): ToolCacheView & { readonly asked: string[] } {
  const asked: string[] = [];
  return { asked, isShown: ({ callId }) => (asked.push(callId), isShown) };
}

test("a model that still has the result gets a note that names the earlier call; others get it whole", async () => {
  for (const form of ["text", "object"] as const) {
    const { files, read } = world(
      form === "text" ? {} : { toResult: (output) => `<${(output as { text: string }).text}>` },
    );
    files.set("a", LONG);
    const tool =
      form === "text"
        ? read
        : ({
            ...read,
            call: async (input: never, context: never) => ({ text: await read.call(input, context) }),
          } as AnyTool);
    const cache = createToolCache();
    const view = viewOf(true);
    const calls = [["Read", { path: "a" }]] as const;
    const [whole] = await respond(cache.tools([tool], view), calls);
    const id = `call-${lastId}`;
    expect(String(whole).length).toBeGreaterThan(1_000);
    expect(await respond(cache.tools([tool], view), calls)).toEqual([
      `Unchanged: the result is the same as that of your earlier call ${id}, which you can see above.`,
    ]);
    expect(await respond(cache.tools([tool], viewOf(false)), calls)).toEqual([whole]);
    expect(await respond(cache.tools([tool]), calls)).toEqual([whole]);
  }
});

test("a note is also given if the tool had to run and returned the same", async () => {
  const { files, runs, read, write } = world();
  files.set("a", LONG);
  const tools = createToolCache().tools([read, write], viewOf(true));
  await respond(tools, [["Read", { path: "a" }]]);
  await respond(tools, [["Write", { path: "a", text: LONG }]]);
  const [again] = await respond(tools, [["Read", { path: "a" }]]);
  await respond(tools, [["Write", { path: "a", text: `${LONG}!` }]]);
  const [other] = await respond(tools, [["Read", { path: "a" }]]);
  expect([again, other, runs.length]).toEqual([expect.stringMatching(/^Unchanged: /), `a: ${LONG}!`, 3]);
});

test("a short result is returned whole", async () => {
  const { read } = world();
  const view = viewOf(true);
  const tools = createToolCache().tools([read], view);
  await respond(tools, [["Read", { path: "a" }]]);
  expect([await respond(tools, [["Read", { path: "a" }]]), view.asked]).toEqual([["a: nothing"], []]);
});

test("the oldest results are dropped, and very large ones are not kept", async () => {
  const { files, runs, read } = world();
  const tools = createToolCache({ maxEntries: 2 }).tools([read]);
  for (const path of ["a", "b", "a", "c", "a", "b"]) await respond(tools, [["Read", { path }]]);
  expect(runs).toEqual(["a", "b", "c", "b"]);
  files.set("big", "y".repeat(6_000_000));
  await respond(tools, [["Read", { path: "big" }]]);
  await respond(tools, [["Read", { path: "big" }]]);
  expect(runs.filter((path) => path === "big").length).toBe(2);
});

test("a tool of a class keeps its private members, and the same tool is wrapped once for a view", async () => {
  class Counter {
    readonly name = "Count";
    readonly description = "Counts.";
    readonly inputSchema = z.object({});
    readonly cache = true;
    #count = 0;
    isReadOnly(): boolean {
      return this.#count >= 0;
    }
    access(): [] {
      return this.#count >= 0 ? [] : never();
    }
    call(): number {
      return ++this.#count;
    }
  }
  const tool = new Counter() as unknown as AnyTool;
  const cache: ToolCache = createToolCache();
  const tools = cache.tools([tool]);
  expect(cache.tools([tool])[0]).toBe(tools[0]);
  expect(await respond(tools, [["Count", {}]])).toEqual(["1"]);
  expect(await respond(tools, [["Count", {}]])).toEqual(["1"]);
});

test("input that is not plain data is not compared, so the call runs", async () => {
  let runs = 0;
  const read = defineTool({
    name: "Read",
    description: "Read",
    inputSchema: z.object({ day: z.string().transform((text) => new Date(text)) }),
    ...reads,
    call: () => `${++runs}`,
  }) as AnyTool;
  const tools = createToolCache().tools([read]);
  await respond(tools, [["Read", { day: "2026-01-01" }]]);
  expect(await respond(tools, [["Read", { day: "2026-01-01" }]])).toEqual(["2"]);
});

test("a tool that remembers its claims by the input is not confused", async () => {
  const claimed = new WeakMap<object, number>();
  let asked = 0;
  const read = simple("Read", (input) => `claim ${claimed.get(input)}`, {
    ...reads,
    access: (input) => (claimed.set(input, ++asked), [{ mode: "read", place: "mem:/a" }]),
  });
  const [direct] = await respond([read], [["Read", { path: "a" }]]);
  asked = 0;
  expect(await respond(createToolCache().tools([read]), [["Read", { path: "a" }]])).toEqual([direct]);
});

test("wrong options are named", () => {
  expect(() => createToolCache({ isbusy: () => true } as never)).toThrow(/isbusy.*Did you mean "isBusy"/);
  expect(() => createToolCache({ isBusy: true } as never)).toThrow(/isBusy must be a function/);
  expect(() => createToolCache({ maxEntries: 0 })).toThrow(/maxEntries must be a whole number/);
  const tool = { ...simple("Read", () => ""), cache: "yes" } as unknown as AnyTool;
  expect(() => new StreamingToolExecutor({ tools: [tool] })).toThrow(/cache must be true or false/);
  const stamped = { ...simple("Read", () => ""), stamp: "1" } as unknown as AnyTool;
  expect(() => new StreamingToolExecutor({ tools: [stamped] })).toThrow(/stamp must be a function/);
});

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

function manualClock() {
  let now = 0;
  let timers: Timer[] = [];
  return {
    now: () => now,
    after: (delayMs: number, action: () => void): Timer => {
      const timer = { at: now + delayMs, action };
      timers.push(timer);
      return timer;
    },
    cancel: (timer: unknown) => void (timers = timers.filter((one) => one !== timer)),
    pass: (ms: number) => {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers = timers.filter((one) => one !== timer);
        timer.action();
      }
    },
  };
}
