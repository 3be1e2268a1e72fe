/**
 * Classes of faults that an outside view of the engine has found: calls that change the context of later calls.
 * Each test fails without what closes its class.
 */

import { expect, test } from "vitest";
import {
  addCalls,
  controlled,
  newExecutor,
  outcomesOf,
  paths,
  resultsOf,
  settle,
  simple,
  writer,
} from "../../test/support/tools.ts";
import type { Claim } from "../core/access.ts";
import type { Answer, Verdict } from "./ports.ts";
import { fullJournal } from "./memory-journal.ts";

test("class 17: a change of the context is one record, and each later call is judged again once", async () => {
  const journal = fullJournal();
  let judged = 0;
  const tool = simple(
    "T",
    async (_input, { change }) => change((context) => ({ ...context, step: ++judged })),
    writer,
  );
  const executor = newExecutor([tool], { journal, limit: 1 });
  addCalls(executor, ...Array.from({ length: 100 }, (_, at) => `${at}`));
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
    addCalls(executor, ...Array.from({ length: 100 }, (__, at) => `${at}`));
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

/** A tool that changes the directory, and one that writes: a relative path depends on the directory. */
function relativeTools() {
  const cd = controlled("Cd", { access: () => [{ mode: "write", place: "context:/cwd" }] });
  const full = (path: string, cwd: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`);
  const write = controlled("T", {
    access: ({ path }, { cwd }) => [
      { mode: "write", place: `kv:${full(path, cwd)}` },
      ...(path.startsWith("/") ? [] : [{ mode: "read" as const, place: "context:/cwd" }]),
    ],
  });
  return { cd, write };
}

test("class 18: a relative write has the claims of the directory that earlier calls changed to", async () => {
  const { cd, write } = relativeTools();
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
  const { cd, write } = relativeTools();
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
