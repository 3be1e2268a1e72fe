import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SOURCES, startSimulation } from "../support/simulation-processes.ts";
import type { Failed } from "./simulate.ts";

const MAIN = fileURLToPath(new URL("kept.ts", import.meta.url));

/** As on a machine that leaves little time to V8's compiler thread. */
const SLOW_COMPILER = ["--concurrent-recompilation-delay=50"];

test("a slow compiler thread does not keep the outputs of delivered calls in memory", async () => {
  const check = await startSimulation<Failed[]>(MAIN, SOURCES, SLOW_COMPILER);
  expect(await check(1, { count: 200 })).toEqual([]);
});
