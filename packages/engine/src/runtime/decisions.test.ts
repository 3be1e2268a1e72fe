/** What docs/engine.md has decided where it could have been otherwise. */

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
import type { JournalEvent } from "../core/event.ts";
import type { StreamingToolExecutor } from "./engine.ts";
import { recoverTurn } from "./recover.ts";

const add = (executor: StreamingToolExecutor, name: string, ...names: string[]): void => {
  for (const path of names) executor.add({ id: path, name, input: { path } });
};

test("a call whose verdict never arrives has no result until the turn is stopped, and others continue", async () => {
  const executor = newExecutor([simple("T", () => "ran", writer)], {
    canUseTool: (_tool, input) =>
      (input as { path: string }).path === "never" ? new Promise(() => {}) : { behavior: "allow" },
  });
  add(executor, "T", "a", "never", "b");
  const reading = resultsOf(executor);
  await settle();
  expect([...executor.inProgress]).toEqual([]);
  executor.interrupt("stop");
  const outcomes = (await reading).map(({ callId, outcome }) => [callId, outcome.type]);
  expect(outcomes).toEqual([
    ["a", "succeeded"],
    ["never", "aborted"],
    ["b", "succeeded"],
  ]);
});

test("a call that waits for its verdict after a hook occupies a slot for hooks", async () => {
  const asked: string[] = [];
  const executor = newExecutor([simple("T", () => "ran", writer)], {
    limit: 2,
    hooks: { preToolUse: ({ callId }) => void asked.push(callId) },
    canUseTool: () => new Promise(() => {}),
  });
  add(executor, "T", "a", "b", "c");
  await settle();
  expect(asked).toEqual(["a", "b"]);
  executor.interrupt("stop");
  expect(await resultsOf(executor)).toHaveLength(3);
});

test("a result is not delivered before its record is safe, even after a stop", async () => {
  let save: () => void = () => {};
  const record = ({ type }: JournalEvent): void | Promise<void> =>
    type === "call-finished" ? new Promise((resolve) => (save = resolve)) : undefined;
  const executor = newExecutor([simple("T", () => "ran", reader)], { journal: { record } });
  add(executor, "T", "a");
  const reading = resultsOf(executor);
  let isRead = false;
  void reading.then(() => (isRead = true));
  executor.interrupt("stop");
  await settle();
  expect(isRead).toBe(false);
  save();
  expect(await reading).toHaveLength(1);
});

test("a call writes unless isReadOnly says that it reads, whatever it claims", async () => {
  const claimsWrite = controlled("ReadsByDeclaration", { ...writer, isReadOnly: () => true });
  const claimsRead = controlled("WritesByDeclaration", {
    access: ({ path }) => [{ mode: "read", place: `fs:/${path}` }],
  });
  const executor = newExecutor([claimsWrite.tool, claimsRead.tool], { start: "reads" });
  add(executor, "ReadsByDeclaration", "a");
  add(executor, "WritesByDeclaration", "b");
  await settle();
  expect([paths(claimsWrite.open), paths(claimsRead.open)]).toEqual([["a"], []]);
  executor.end();
  await settle();
  expect(paths(claimsRead.open)).toEqual(["b"]);
  expect(executor.discard()).toMatchObject({ discarded: false });
  for (const call of [...claimsWrite.open, ...claimsRead.open]) call.resolve();
  await resultsOf(executor);
});

test.each(["fails", "is stopped", "is abandoned"])(
  "what a call has changed of the context holds, though it %s",
  async (how) => {
    const timers: (() => void)[] = [];
    const clock = {
      now: () => 0,
      after: (_ms: number, act: () => void) => timers.push(act),
      cancel: () => {},
    };
    const { tool, open } = controlled("T", writer);
    const executor = newExecutor([tool], { context: { cwd: "/" }, clock });
    add(executor, "T", "a");
    open[0]?.context.change((context) => ({ ...context, cwd: "/elsewhere" }));
    if (how !== "fails") executor.interrupt("stop");
    if (how === "is abandoned") timers.at(-1)?.();
    else open[0]?.reject(new Error("it failed"));
    await resultsOf(executor);
    expect(executor.context.cwd).toBe("/elsewhere");
  },
);

test("a turn that was discarded has no fates", () => {
  const access = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" } as const;
  const events: JournalEvent[] = [
    { type: "call-arrived", id: "a", toolName: "T", access, hooked: false, permitted: true },
    { type: "call-launched", id: "a" },
    { type: "turn-discarded" },
  ];
  expect(recoverTurn(events)).toEqual([]);
});
