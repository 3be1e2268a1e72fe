import { expect, test } from "vitest";
import { simulateAll } from "./processes.ts";
import { report } from "./simulate.ts";

const SEEDS = 300_000;

test(`the promises hold in ${SEEDS} simulated turns`, { timeout: 1_800_000 }, async () => {
  const summary = await simulateAll({ from: 1, count: SEEDS, jobs: 2 });
  console.log(report(summary));
  expect([summary.seeds, summary.failures]).toEqual([SEEDS, []]);
});
