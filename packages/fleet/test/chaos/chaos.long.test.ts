import { expect, test } from "vitest";
import { runChaos } from "./chaos.ts";

/**
 * 20 seeds of 40 sessions take about 15 minutes, most of it waiting for processes that are stopped for a minute.
 * The full size, 500 sessions, takes about 10 minutes per seed, one seed after the other:
 * `CHAOS_SESSIONS=500 npx vitest run --project long --maxConcurrency 1 packages/fleet/test/chaos/chaos.long.test.ts`.
 * `CHAOS_SEEDS=3` runs fewer seeds, `CHAOS_SEED=7` one of them.
 */
const ONLY = Number(process.env["CHAOS_SEED"] ?? 0);
const SEEDS = Number(process.env["CHAOS_SEEDS"] ?? 20);
const SESSIONS = Number(process.env["CHAOS_SESSIONS"] ?? 40);
const FAULTS = Number(process.env["CHAOS_FAULTS"] ?? 20 + Math.ceil(SESSIONS / 4));
const MINUTE = 60_000;

const all = ONLY > 0 ? [ONLY] : Array.from({ length: SEEDS }, (_, at) => at + 1);

// Two at a time: they wait for processes that are stopped for a minute, so the time counts and not the work.
test.concurrent.for(all)(
  `seed %i: every line of ${SESSIONS} sessions is written once or reported as unknown`,
  { timeout: 45 * MINUTE },
  async (seed) => {
    const sizes = { sessions: SESSIONS, turns: 6, workers: 8, toolWorkers: 4, faults: FAULTS };
    const times = { leaseMs: 3_000, stopMs: MINUTE, lateMs: 5_000, slowMs: 500 };
    const report = await runChaos({ seed, ...sizes, ...times });
    console.log(`seed ${seed}: ${JSON.stringify({ ...report, problems: report.problems.length })}`);
    expect(report.problems).toEqual([]);
  },
);
