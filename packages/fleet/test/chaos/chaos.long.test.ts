import { expect, test } from "vitest";
import { runChaos } from "./chaos.ts";

/** `CHAOS_SEEDS=3 CHAOS_SESSIONS=100 npx vitest run packages/fleet/test/chaos/chaos.long.test.ts` runs fewer. */
const SEEDS = Number(process.env["CHAOS_SEEDS"] ?? 20);
const SESSIONS = Number(process.env["CHAOS_SESSIONS"] ?? 500);

for (let seed = 1; seed <= SEEDS; seed++)
  test(`seed ${seed}: every line of ${SESSIONS} sessions is written once or reported as unknown`, async () => {
    const sizes = { sessions: SESSIONS, turns: 6, workers: 8, faults: 60, leaseMs: 3_000, slowMs: 500 };
    const report = await runChaos({ seed, ...sizes });
    console.log(`seed ${seed}: ${JSON.stringify({ ...report, problems: report.problems.length })}`);
    expect(report.problems).toEqual([]);
  }, 900_000);
