import { expect, test } from "vitest";
import { printFailures, simulateWorlds } from "./processes.ts";

const WORLDS = 200_000;

test(`through the public API, the promises hold in ${WORLDS} random worlds`, {
  timeout: 1_800_000,
}, async () => {
  const run = { from: 1, count: WORLDS, jobs: 2 };
  expect(await simulateWorlds(run, { onFailure: printFailures() })).toEqual([]);
});
