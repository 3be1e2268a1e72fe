/** Classes of faults that an outside view of the engine has found. Each test fails without what closes its class. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isCollected } from "../../test/support/garbage.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
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
import type { StreamingToolExecutor } from "./engine.ts";
import { resolveFilePlace } from "./file-place.ts";
import type { Claim } from "../core/access.ts";
import type { JournalEvent } from "../core/event.ts";
import type { EngineEvent } from "./notice.ts";
import type { Answer, Verdict } from "./ports.ts";
import { type MemoryJournal, fullJournal } from "./memory-journal.ts";
import { recoverTurn } from "./recover.ts";

const add = (executor: StreamingToolExecutor, ...names: string[]): void => {
  for (const [at, path] of names.entries()) executor.add({ id: `${at + 1}`, name: "T", input: { path } });
};
const outcomesOf = async (executor: StreamingToolExecutor): Promise<string[]> =>
  (await resultsOf(executor)).map(({ outcome }) => outcome.type);

test.each<[string, unknown]>([
  ["a match of a regular expression", ["T"]],
  ["a number", 1],
  ["a promise", Promise.resolve(true)],
])("class 1: a hook whose `matches` returns %s runs", async (_, answer) => {
  const executor = newExecutor([simple("T", () => "ran")], {
    hooks: { matches: () => answer as boolean, preToolUse: () => ({ decision: "deny", reason: "no" }) },
  });
  add(executor, "a");
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
  add(executor, "a");
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
  add(executor, "a", "b");
  expect(await outcomesOf(executor)).toEqual(["succeeded", "succeeded"]);
  expect(executor.context).toEqual({ cwd: "/a" });
  expect(events.some(({ type }) => type === "context-failed")).toBe(true);
});

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
  add(executor, "a", "b");
  expect((await resultsOf(executor))[1]?.outcome).toMatchObject({ type: "aborted", effect: "none" });
  expect([entered, clock.now()]).toEqual([["a"], 0]);
});

test("class 5: a verdict from before permissionsChanged() does not start a call after it", async () => {
  for (let ticks = 0; ticks < 8; ticks++) {
    let mode: Verdict["behavior"] = "allow";
    let ranIn: string | undefined;
    const judge = async (): Promise<Verdict> => ({ behavior: mode });
    const executor = newExecutor([simple("T", () => void (ranIn = mode))], { canUseTool: judge });
    add(executor, "a");
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
    add(executor, "a", "b");
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
  add(executor, "a", "b");
  expect(await outcomesOf(executor)).toEqual(["aborted", "aborted"]);
  expect(entered).toEqual([]);
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
    add(executor, "a");
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
  add(executor, "good");
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
  add(executor, "first");
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

test.each(["preToolUse", "postToolUse"] as const)(
  "class 9: a %s hook that never answers leaves no timer",
  async (hook) => {
    const clock = new FakeClock();
    const executor = newExecutor([simple("T", () => "ran")], {
      clock,
      hooks: { [hook]: () => new Promise(() => {}) },
    });
    add(executor, "a");
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
  add(executor, "a");
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
  add(executor, "a");
  expect([await outcomesOf(executor), hooks]).toEqual([["failed"], ["failure"]]);
  await settle();
  expect(journal.events.filter(({ type }) => type === "call-finished")).toHaveLength(1);
});

test("class 11: whichever record is missing, a call that ran is not reported as not run", async () => {
  for (let missing = 0; missing < 12; missing++) {
    const { journal, kept } = losing(missing);
    const executor = newExecutor([simple("T", async () => "ran", writer)], {
      canUseTool: async () => ({ behavior: "allow" }),
      journal,
    });
    add(executor, "a", "b", "c");
    await resultsOf(executor);
    for (const { callId, fate, result } of recoverTurn(kept.events)) {
      const hasEnded = kept.events.some((event) => event.type === "call-finished" && event.id === callId);
      expect([missing, callId, fate]).toEqual([missing, callId, hasEnded ? "finished" : "unknown"]);
      if (hasEnded) expect(result.content).toBe("ran");
    }
  }
});

test("class 11: a launch whose record is lost counts, even if a stop is recorded before the loss", () => {
  const access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" } as const;
  const outcome = { type: "denied", by: "permissions", reason: "" } as const;
  const judgement = { behavior: "deny", outcome, endTurn: undefined } as const;
  const arrived = { type: "call-arrived", toolName: "T", access, hooked: false } as const;
  const fates = recoverTurn([
    { ...arrived, id: "stopped", permitted: true },
    { ...arrived, id: "denied by a verdict that was void", permitted: false },
    { type: "call-judged", id: "denied by a verdict that was void", epoch: 3, judgement },
    { type: "turn-interrupted", kind: "stop", reason: "enough" },
    { type: "records-lost" },
  ]);
  expect(fates.map(({ fate }) => fate)).toEqual(["unknown", "unknown"]);
});

test("class 11: after a loss, the loss is recorded before anything else", async () => {
  const kept = fullJournal();
  let failures = 2;
  const record = (event: JournalEvent): void => {
    const isFailing = event.type !== "call-arrived" && failures-- > 0;
    if (isFailing) throw new Error("the disk is full");
    void kept.record(event);
  };
  const executor = newExecutor([simple("T", () => "ran", reader)], { journal: { record } });
  add(executor, "a");
  add(executor, "a", "b", "c");
  await resultsOf(executor);
  const types = kept.events.map(({ type }) => type);
  expect(types.slice(0, 2)).toEqual(["call-arrived", "records-lost"]);
  expect(recoverTurn(kept.events)[0]?.fate).toBe("unknown");
});

test("class 11: after a loss, a call that was allowed later may have run", () => {
  const access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" } as const;
  const arrived = { type: "call-arrived", toolName: "T", access, hooked: false, permitted: false } as const;
  const allow = { behavior: "allow" } as const;
  // The arrival of an earlier call is lost, so the epochs of the replay are not those of the turn.
  const fates = recoverTurn([
    { type: "records-lost" },
    { ...arrived, id: "allowed" },
    { type: "call-judged", id: "allowed", epoch: 4, judgement: allow },
    { ...arrived, id: "not judged" },
  ]);
  expect(fates.map(({ callId, fate }) => [callId, fate])).toEqual([
    ["allowed", "unknown"],
    ["not judged", "never-started"],
  ]);
});

/** A journal that fails once. */
function losing(missing: number): { journal: MemoryJournal; kept: MemoryJournal } {
  const kept = fullJournal();
  let at = 0;
  const record: MemoryJournal["record"] = (event) => {
    if (at++ === missing) throw new Error("the disk is full");
    return kept.record(event);
  };
  return { kept, journal: { ...kept, record } };
}

test("class 12: a link that a call creates before it returns is seen by calls that arrive after it", async () => {
  const root = mkdtempSync(join(tmpdir(), "runahead-links-"));
  mkdirSync(join(root, "real"));
  const write = controlled("T", { access: ({ path }) => [{ mode: "write", place: `fs:${root}/${path}` }] });
  const link = simple("Link", () => symlinkSync("real", join(root, "link")), { access: () => [] });
  const executor = newExecutor([write.tool, link], { resolvePlace: resolveFilePlace });
  executor.add({ id: "1", name: "T", input: { path: "link/other" } });
  executor.add({ id: "2", name: "Link", input: { path: "" } });
  executor.add({ id: "3", name: "T", input: { path: "link/file" } });
  executor.add({ id: "4", name: "T", input: { path: "real/file" } });
  await settle();
  expect(paths(write.open)).toEqual(["link/other", "link/file"]);
  for (const open of [...write.open]) open.resolve();
  await settle();
  expect(paths(write.open)).toEqual(["real/file"]);
  write.open[0]?.resolve();
  await resultsOf(executor);
  rmSync(root, { recursive: true });
});

test("class 12: `..` in the target of a link is resolved after the links before it", () => {
  const folder = mkdtempSync(join(tmpdir(), "runahead-links-"));
  mkdirSync(`${folder}/deep/inner`, { recursive: true });
  writeFileSync(`${folder}/deep/f`, "");
  symlinkSync("deep/inner", `${folder}/in`);
  symlinkSync("in/../f", `${folder}/relative`);
  symlinkSync(`${folder}/in/../f`, `${folder}/absolute`);
  const places = ["deep/f", "relative", "absolute", "in/../f"].map((name) =>
    resolveFilePlace(`fs:${folder}/${name}`),
  );
  expect(new Set(places).size).toBe(1);
  rmSync(folder, { recursive: true });
});

test("class 13: a delivered call is not kept in memory while a call with the same time limit runs", async () => {
  const slow = controlled("Slow", { access: () => [{ mode: "write", place: "kv:/slow" }] });
  let output: WeakRef<object> | undefined;
  const quick = simple(
    "T",
    async () => {
      const made = { large: true };
      output = new WeakRef(made);
      return made;
    },
    { access: () => [{ mode: "write", place: "kv:/quick" }] },
  );
  const executor = newExecutor([slow.tool, quick], {});
  add(executor, "a");
  executor.add({ id: "slow", name: "Slow", input: { path: "b" } });
  await settle();
  expect([...executor.completed()]).toHaveLength(1);
  expect(output).toBeDefined();
  await expect.poll(() => isCollected(output)).toBe(true);
  slow.open[0]?.resolve();
  await resultsOf(executor);
});

test("class 14: a call that a hook turns into a writer after the response was cut off does not run", async () => {
  let answer: (said: object) => void = () => {};
  const tool = simple("T", () => "ran", { isReadOnly: ({ path }) => path === "read" });
  const executor = newExecutor([tool], {
    start: "reads",
    hooks: { preToolUse: () => new Promise((resolve) => (answer = resolve)) },
  });
  add(executor, "read");
  await settle();
  executor.end({ ok: false, reason: "cut" });
  answer({ input: { path: "write" } });
  expect((await resultsOf(executor))[0]?.outcome).toMatchObject({
    cause: { kind: "response-ended" },
    effect: "none",
  });
});

test("class 16: 20,000 reads can wait for one result", async () => {
  const { tool, open } = controlled("T");
  const executor = newExecutor([tool]);
  add(executor, "a");
  const reading = executor.remaining();
  const reads = Array.from({ length: 20_000 }, () => reading.next());
  open[0]?.resolve();
  expect((await Promise.all(reads)).filter(({ done }) => done !== true)).toHaveLength(1);
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
  add(executor, "a", "b");
  expect(await outcomesOf(executor)).toEqual(["succeeded", "succeeded"]);
});

test("class 17: a change of the context is one record, and each later call is judged again once", async () => {
  const journal = fullJournal();
  let judged = 0;
  const tool = simple(
    "T",
    async (_input, { change }) => change((context) => ({ ...context, step: ++judged })),
    writer,
  );
  const executor = newExecutor([tool], { journal, limit: 1 });
  add(executor, ...Array.from({ length: 100 }, (_, at) => `${at}`));
  await resultsOf(executor);
  const counts = (type: string): number => journal.events.filter((event) => event.type === type).length;
  expect([counts("context-changed"), counts("call-judged") <= 100, counts("call-located")]).toEqual([
    100,
    true,
    0,
  ]);
});

test.each<[string, (input: { path: string }, cwd: string) => Claim[]]>([
  ["that is declared", () => [{ mode: "write", place: "context:/cwd" }]],
  ["that is not declared", ({ path }) => [{ mode: "write", place: `kv:/${path}` }]],
  ["by tools that declare nothing", () => [{ mode: "write", place: "*" }]],
])(
  "class 17: a change of the context %s costs a few verdicts if the rules take a moment",
  async (_, claims) => {
    let verdicts = 0;
    const tool = simple(
      "T",
      ({ path }, { change }) => change((context) => ({ ...context, cwd: `/${path}` })),
      { access: (input, { cwd }) => claims(input, cwd) },
    );
    const executor = newExecutor([tool], {
      context: { cwd: "/" },
      canUseTool: async () => {
        verdicts++;
        await settle();
        return { behavior: "allow" };
      },
    });
    add(executor, ...Array.from({ length: 100 }, (__, at) => `${at}`));
    expect(await outcomesOf(executor)).toEqual(Array.from({ length: 100 }, () => "succeeded"));
    expect(verdicts).toBeLessThan(1_000);
  },
);

test("class 17: a call that waits for a valid verdict is judged at once when the rules change", async () => {
  const other = controlled("Other", writer);
  const verdicts: ((verdict: Verdict) => void)[] = [];
  const executor = newExecutor([other.tool, simple("T", () => "ran", writer)], {
    context: { cwd: "/" },
    canUseTool: ({ name }) =>
      name === "T" ? new Promise((resolve) => void verdicts.push(resolve)) : { behavior: "allow" },
  });
  for (const path of ["a", "b", "c"]) executor.add({ id: path, name: "Other", input: { path } });
  executor.add({ id: "last", name: "T", input: { path: "c" } });
  for (const path of ["a", "b"]) {
    const moving = other.open.find((one) => one.path === path);
    moving?.context.change((context) => ({ ...context, cwd: `/${path}` }));
    moving?.resolve();
    await settle();
    verdicts.at(-1)?.({ behavior: "allow" });
    await settle();
  }
  expect(verdicts).toHaveLength(2);
  executor.permissionsChanged();
  expect(verdicts).toHaveLength(3);
  verdicts[2]?.({ behavior: "deny" });
  other.open[0]?.resolve();
  expect(await outcomesOf(executor)).toEqual(["succeeded", "succeeded", "succeeded", "denied"]);
});

test("class 17: a yes to a question about an earlier context does not start a call whose new verdict is pending", async () => {
  const cd = controlled("Cd", { access: () => [{ mode: "write", place: "context:/cwd" }] });
  const read = simple("T", () => "ran", { access: () => [{ mode: "read", place: "context:/cwd" }] });
  const verdicts: ((verdict: Verdict) => void)[] = [];
  const answers: ((answer: Answer) => void)[] = [];
  const executor = newExecutor([cd.tool, read], {
    context: { cwd: "/" },
    canUseTool: ({ name }) =>
      name === "T" ? new Promise((resolve) => void verdicts.push(resolve)) : { behavior: "allow" },
    ask: () => new Promise((resolve) => void answers.push(resolve)),
  });
  for (const path of ["a", "b"]) executor.add({ id: path, name: "Cd", input: { path } });
  executor.add({ id: "last", name: "T", input: { path: "c" } });
  const move = async (): Promise<void> => {
    const [going] = cd.open;
    going?.context.change((context) => ({ ...context, cwd: `/${going.path}` }));
    going?.resolve();
    await settle();
  };
  await move();
  for (const verdict of verdicts) verdict({ behavior: "ask" });
  await settle();
  verdicts.at(-1)?.({ behavior: "ask" });
  await settle();
  await move();
  expect([verdicts.length, answers.length]).toEqual([3, 1]);
  answers[0]?.({ behavior: "allow" });
  await settle();
  for (const verdict of verdicts) verdict({ behavior: "deny" });
  await settle();
  for (const verdict of verdicts) verdict({ behavior: "deny" });
  expect(await outcomesOf(executor)).toEqual(["succeeded", "succeeded", "denied"]);
});

test("class 18: a relative write has the claims of the directory that earlier calls changed to", async () => {
  const cd = controlled("Cd", { access: () => [{ mode: "write", place: "context:/cwd" }] });
  const full = (path: string, cwd: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`);
  const write = controlled("T", {
    access: ({ path }, { cwd }) => [
      { mode: "write", place: `kv:${full(path, cwd)}` },
      ...(path.startsWith("/") ? [] : [{ mode: "read" as const, place: "context:/cwd" }]),
    ],
  });
  const executor = newExecutor([cd.tool, write.tool], {
    context: { cwd: "/" },
    canUseTool: async () => ({ behavior: "allow" }),
  });
  for (const path of ["/x", "/y"]) executor.add({ id: path, name: "Cd", input: { path } });
  for (const path of ["f", "/y/f"]) executor.add({ id: path, name: "T", input: { path } });
  for (let turn = 0; turn < 2; turn++) {
    await settle();
    const [going] = cd.open;
    going?.context.change((context) => ({ ...context, cwd: going.path }));
    going?.resolve();
  }
  await settle();
  expect([paths(write.open), write.open[0]?.context.cwd]).toEqual([["f"], "/y"]);
  write.open[0]?.resolve();
  await settle();
  expect(paths(write.open)).toEqual(["/y/f"]);
  write.open[0]?.resolve();
  await resultsOf(executor);
});

test("class 25: a later call does not overtake one that an earlier call moves to the same file", async () => {
  const cd = controlled("Cd", { access: () => [{ mode: "write", place: "context:/cwd" }] });
  const full = (path: string, cwd: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`);
  const write = controlled("T", {
    access: ({ path }, { cwd }) => [
      { mode: "write", place: `kv:${full(path, cwd)}` },
      ...(path.startsWith("/") ? [] : [{ mode: "read" as const, place: "context:/cwd" }]),
    ],
  });
  const executor = newExecutor([cd.tool, write.tool], { context: { cwd: "/x" } });
  executor.add({ id: "cd", name: "Cd", input: { path: "/y" } });
  for (const path of ["f", "/y/f", "/x/g"]) executor.add({ id: path, name: "T", input: { path } });
  expect(paths(write.open)).toEqual([]);
  cd.open[0]?.context.change((context) => ({ ...context, cwd: "/y" }));
  cd.open[0]?.resolve();
  await settle();
  expect(paths(write.open)).toEqual(["f", "/x/g"]);
  write.open[0]?.resolve();
  await settle();
  expect(paths(write.open)).toEqual(["/x/g", "/y/f"]);
  for (const call of [...write.open]) call.resolve();
  await resultsOf(executor);
});

test("class 18: changed rules do not hide an earlier change of the directory", async () => {
  const cd = controlled("Cd", { access: () => [{ mode: "write", place: "context:/cwd" }] });
  const write = controlled("T", {
    access: ({ path }, { cwd }) => [
      { mode: "write", place: `kv:${cwd}/${path}` },
      { mode: "read", place: "context:/cwd" },
    ],
  });
  const journal = fullJournal();
  const executor = newExecutor([cd.tool, write.tool], {
    context: { cwd: "/" },
    canUseTool: async () => ({ behavior: "allow" }),
    journal,
  });
  for (const path of ["/x", "/y"]) executor.add({ id: path, name: "Cd", input: { path } });
  executor.add({ id: "f", name: "T", input: { path: "f" } });
  await settle();
  cd.open[0]?.context.change((context) => ({ ...context, cwd: "/x" }));
  cd.open[0]?.resolve();
  await settle();
  // The write waits for the second change of folder, and its claims are still those of the first folder.
  executor.permissionsChanged();
  await settle();
  cd.open[0]?.resolve();
  await settle();
  const located = journal.events.findLast((event) => event.type === "call-located");
  expect(located?.access.claims[0]?.place).toBe("kv:/x/f");
  write.open[0]?.resolve();
  await resultsOf(executor);
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
  add(executor, "a", "b");
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
