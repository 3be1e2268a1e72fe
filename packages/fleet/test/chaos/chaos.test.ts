import { expect, test } from "vitest";
import { runChaos } from "./chaos.ts";

test("every line is written once or reported as unknown while workers, Redis and Postgres fail", async () => {
  const report = await runChaos({ seed: 7, sessions: 12, turns: 4, workers: 2, faults: 6, leaseMs: 1_500 });
  expect(report.problems).toEqual([]);
  expect(report.lines + report.unknown).toBeGreaterThanOrEqual(48);
}, 120_000);
