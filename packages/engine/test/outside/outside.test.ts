import { expect, test } from "vitest";
import { wholeRun } from "../support/long-run.ts";
import { printFailures, simulateWorlds } from "./processes.ts";

const WORLDS = 2_000;

test(`through the public API, the promises hold in ${WORLDS} random worlds`, {
  timeout: 120_000,
}, async () => {
  expect(await simulateWorlds(wholeRun(WORLDS), { onFailure: printFailures() })).toEqual([]);
});
