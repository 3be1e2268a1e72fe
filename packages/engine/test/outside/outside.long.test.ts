import { expect, test } from "vitest";
import { simulateWorlds } from "./processes.ts";

const WORLDS = 200_000;

test(`through the public API, the promises hold in ${WORLDS} random worlds`, {
  timeout: 1_800_000,
}, async () => {
  expect(await simulateWorlds({ from: 1, count: WORLDS, jobs: 2 })).toEqual([]);
});
