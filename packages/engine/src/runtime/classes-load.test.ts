/**
 * Classes of faults that an outside view of the engine has found: many calls, and calls that run for long.
 * Each test fails without what closes its class.
 */

import { expect, test } from "vitest";
import { isCollected } from "../../test/support/garbage.ts";
import { addCalls, controlled, newExecutor, resultsOf, settle, simple } from "../../test/support/tools.ts";

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
  addCalls(executor, "a");
  executor.add({ id: "slow", name: "Slow", input: { path: "b" } });
  await settle();
  expect([...executor.completed()]).toHaveLength(1);
  expect(output).toBeDefined();
  await expect.poll(() => isCollected(output)).toBe(true);
  slow.open[0]?.resolve();
  await resultsOf(executor);
});

test("class 16: 20,000 reads can wait for one result", async () => {
  const { tool, open } = controlled("T");
  const executor = newExecutor([tool]);
  addCalls(executor, "a");
  const reading = executor.remaining();
  const reads = Array.from({ length: 20_000 }, () => reading.next());
  open[0]?.resolve();
  expect((await Promise.all(reads)).filter(({ done }) => done !== true)).toHaveLength(1);
});
