import { expect, test } from "vitest";
import { runChaos } from "./chaos.ts";

test("every line is written once or reported as unknown while workers, Redis and Postgres fail", async () => {
  const sizes = { sessions: 10, turns: 4, workers: 2, toolWorkers: 1, faults: 6 };
  const times = { leaseMs: 2_500, stopMs: 4_000, lateMs: 500, slowMs: 200 };
  const report = await runChaos({ seed: 7, ...sizes, ...times });
  expect(report.problems).toEqual([]);
  expect(report.lines + report.unknown).toBeGreaterThanOrEqual(40);
}, 400_000);
