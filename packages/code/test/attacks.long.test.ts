import { defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { run, world } from "./support.ts";

const STOPPED = "The script was stopped: its own code ran for more than 0.3 s.";
const OPTIONS = { cpuMs: 300, memoryMb: 16 };

/** The interpreter checks its time between instructions; these take minutes within one. */
test.each([
  ["sorts an array with four billion places", "const all = []; all[2 ** 32 - 2] = 1; all.sort();"],
  ["joins half a billion texts", "return Array(2 ** 29).join('ab').length;"],
  ["multiplies large numbers without end", "const big = 3n ** 300_000n; for (;;) big * big;"],
])("a script that %s is ended from outside", async (_name, script) => {
  const { text, isError } = await run(script, [], { options: OPTIONS });
  expect([isError, text.split("\n")[0]]).toEqual([true, STOPPED]);
});

test("a script that hangs in the second of two answers that come together is ended from outside", async () => {
  const { tools } = world();
  const script = `
    const hang = () => { const all = []; all[2 ** 32 - 2] = 1; all.sort(); };
    await Promise.all([tools.Price({ sku: "a" }), tools.Price({ sku: "b" }).then(hang)]);
  `;
  const { text, isError } = await run(script, tools, { options: { ...OPTIONS, timeoutMs: 60_000 } });
  expect([isError, text.split("\n")[0]]).toEqual([true, STOPPED]);
});

test("results of more than the limit end the calls of a script", async () => {
  let made = 0;
  const page = defineTool({
    name: "Page",
    description: "Returns a page.",
    inputSchema: z.object({}),
    isReadOnly: () => true,
    access: () => [],
    call: () => `${++made} ${"x".repeat(1_900_000)}`,
  });
  const script = `
    for (let at = 0; at < 60; at++) await tools.Page({});
  `;
  const { text, isError } = await run(script, [page], { options: { memoryMb: 32 } });
  expect([isError, made]).toEqual([true, 34]);
  expect(text).toContain("The results of this script's calls have more than 64000000 characters");
});
