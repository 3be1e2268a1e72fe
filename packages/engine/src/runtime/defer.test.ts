import { expect, test } from "vitest";
import {
  controlled,
  newExecutor,
  paths,
  reader,
  resultsOf,
  settle,
  writer,
} from "../../test/support/tools.ts";
import type { JournalEvent } from "../core/event.ts";
import { StreamingToolExecutor } from "./engine.ts";
import type { ExecutorOptions } from "./options.ts";
import type { Answer, Question } from "./ports.ts";
import { recoverTurn } from "./recover.ts";

const LATER: Answer = { behavior: "defer" };

/** Edits of `a` need an answer, which comes later. */
function deferring(given: Partial<ExecutorOptions> = {}) {
  const edit = controlled("Edit", writer);
  const read = controlled("Read", reader);
  const asked: Question[] = [];
  const journal: JournalEvent[] = [];
  const executor = newExecutor([edit.tool, read.tool], {
    canUseTool: ({ name }, input) =>
      name === "Edit" && (input as { path: string }).path === "a"
        ? { behavior: "ask", reason: "a rule asks" }
        : { behavior: "allow" },
    ask: (question) => {
      asked.push(question);
      return LATER;
    },
    journal: { record: (event) => void journal.push(structuredClone(event)) },
    ...given,
  });
  const add = (id: string, name: string, path: string): void =>
    void executor.add({ id, name, input: { path } });
  return { executor, edit, read, asked, journal, add };
}

const idsOf = ({ parked }: StreamingToolExecutor): unknown =>
  parked?.map(({ callId, result }) => [callId, result?.content]);

test("calls that do not depend on the answer finish, the others wait, and the executor has no more updates", async () => {
  const { executor, edit, read, add, asked } = deferring();
  add("1", "Read", "b");
  add("2", "Edit", "a");
  add("3", "Read", "a");
  add("4", "Edit", "c");
  await settle();
  expect(asked.map(({ callId }) => callId)).toEqual(["2"]);
  expect([paths(read.open), paths(edit.open)]).toEqual([["b"], ["c"]]);
  expect(executor.parked).toBeUndefined();
  const results = resultsOf(executor);
  edit.open[0]?.resolve("edited c");
  read.open[0]?.resolve("read b");
  expect((await results).map(({ callId }) => callId)).toEqual(["1"]);
  expect(idsOf(executor)).toEqual([
    ["2", undefined],
    ["3", undefined],
    ["4", "edited c"],
  ]);
});

test("a turn that is parked stays parked when the rules change: it is judged again when it continues", async () => {
  const { executor, read, add } = deferring({
    canUseTool: async ({ name }) =>
      name === "Edit" ? { behavior: "ask", reason: "a rule asks" } : { behavior: "allow" },
  });
  add("1", "Edit", "a");
  add("2", "Read", "a");
  expect(await resultsOf(executor)).toEqual([]);
  executor.permissionsChanged();
  executor.interrupt("stop");
  await settle();
  expect([paths(read.open), idsOf(executor)]).toEqual([
    [],
    [
      ["1", undefined],
      ["2", undefined],
    ],
  ]);
});

test("after a restart, the calls without a result continue with the answer, in the model's order", async () => {
  const { edit, read, executor, add, asked } = deferring({
    answers: new Map([["2", { behavior: "allow" }]]),
  });
  add("2", "Edit", "a");
  add("3", "Read", "a");
  await settle();
  expect([paths(edit.open), paths(read.open), asked.length]).toEqual([["a"], [], 0]);
  edit.open[0]?.resolve("edited a");
  await settle();
  read.open[0]?.resolve("read a");
  expect((await resultsOf(executor)).map(({ result }) => result.content)).toEqual(["edited a", "read a"]);
  expect(executor.parked).toBeUndefined();
});

test("an answer from before counts only if the rules still ask: a deny wins, an allow needs no answer", async () => {
  for (const behavior of ["deny", "allow"] as const) {
    const { executor, edit, add } = deferring({
      answers: new Map([["2", { behavior: behavior === "deny" ? "allow" : "deny" }]]),
      canUseTool: () => ({ behavior, reason: "the rules have changed" }),
    });
    add("2", "Edit", "a");
    await settle();
    for (const call of edit.open) call.resolve("edited");
    const [result] = await resultsOf(executor);
    expect(result?.outcome.type).toBe(behavior === "deny" ? "denied" : "succeeded");
  }
});

test("an answer from before that changes the input is another call, which the rules can deny", async () => {
  for (const path of ["secret", "open"]) {
    const { executor, edit, add } = deferring({
      answers: new Map([["2", { behavior: "allow", input: { path } }]]),
      canUseTool: (_tool, input) =>
        (input as { path: string }).path === "secret"
          ? { behavior: "deny", reason: "a rule" }
          : { behavior: "ask", reason: "why not" },
    });
    add("2", "Edit", "a");
    await settle();
    expect(paths(edit.open)).toEqual(path === "secret" ? [] : ["open"]);
    for (const call of edit.open) call.resolve("edited");
    const [result] = await resultsOf(executor);
    expect(result?.outcome.type).toBe(path === "secret" ? "denied" : "succeeded");
  }
});

test("a stop before the turn is parked ends the calls that wait", async () => {
  const { executor, add } = deferring();
  add("2", "Edit", "a");
  add("3", "Read", "a");
  await settle();
  executor.interrupt("stop");
  const results = await resultsOf(executor);
  expect(results.map(({ outcome }) => outcome.type)).toEqual(["aborted", "aborted"]);
  expect(executor.parked).toBeUndefined();
});

test("a hook can leave the question for later, without asking; a deny of the rules still wins", async () => {
  const hooks = { preToolUse: () => ({ decision: "defer", reason: "a hook wants an answer" }) as const };
  const later = deferring({ hooks, canUseTool: () => ({ behavior: "allow" }) });
  later.add("1", "Edit", "a");
  expect(await resultsOf(later.executor)).toEqual([]);
  expect(later.asked).toEqual([]);
  expect(later.journal.find(({ type }) => type === "call-deferred")).toMatchObject({
    id: "1",
    reason: "a hook wants an answer",
    input: { path: "a" },
  });
  const denied = deferring({ hooks, canUseTool: () => ({ behavior: "deny" }) });
  denied.add("1", "Edit", "a");
  expect((await resultsOf(denied.executor)).map(({ outcome }) => outcome.type)).toEqual(["denied"]);
});

test("the next question is asked after one was deferred", async () => {
  const { executor, asked, add } = deferring({ canUseTool: () => ({ behavior: "ask" }) });
  for (const path of ["a", "b", "c"]) add(path, "Edit", path);
  expect(await resultsOf(executor)).toEqual([]);
  expect(asked.map(({ callId }) => callId)).toEqual(["a", "b", "c"]);
});

test("where nobody can continue, a deferred answer counts as none, and a hook that defers asks now", async () => {
  const asking = deferring({ canDefer: false });
  asking.add("1", "Edit", "a");
  const [denied] = await resultsOf(asking.executor);
  expect(denied?.result.content).toContain("The question cannot be answered later");
  const hooks = { preToolUse: () => ({ decision: "defer" }) as const };
  const hooked = deferring({ canDefer: false, hooks, ask: () => ({ behavior: "deny", message: "asked" }) });
  hooked.add("1", "Edit", "a");
  expect((await resultsOf(hooked.executor))[0]?.result.content).toContain("asked");
});

test("rules that allow the call while its question is being deferred let it run", async () => {
  let rule: "ask" | "allow" = "ask";
  const { executor, edit, add } = deferring({
    canUseTool: () => ({ behavior: rule }),
    ask: async () => {
      rule = "allow";
      executor.permissionsChanged();
      return LATER;
    },
  });
  add("1", "Edit", "a");
  await settle();
  await settle();
  edit.open[0]?.resolve("edited");
  expect((await resultsOf(executor)).map(({ result }) => result.content)).toEqual(["edited"]);
});

test("after a crash, a call whose question was deferred is known not to have run", async () => {
  const { add, journal } = deferring();
  add("2", "Edit", "a");
  await settle();
  expect(recoverTurn(journal).map(({ fate }) => fate)).toEqual(["never-started"]);
});
