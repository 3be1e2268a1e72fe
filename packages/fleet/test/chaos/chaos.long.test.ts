import { expect, test } from "vitest";
import { runChaos } from "./chaos.ts";

/**
 * The first seed has the full size, 500 sessions, which takes two to three minutes. The other 19 have 40 sessions and take about 80
 * seconds each, two at a time, most of it waiting for processes that are stopped for a minute: so all of them fit into the time
 * of `npm run test:long`. All seeds in full size, one after the other, take about 45 minutes:
 * `CHAOS_SESSIONS=500 npx vitest run --project long --maxConcurrency 1 packages/fleet/test/chaos/chaos.long.test.ts`.
 * `CHAOS_SEEDS=3` runs fewer seeds, `CHAOS_SEED=7` one of them.
 */
const ONLY = Number(process.env["CHAOS_SEED"] ?? 0);
const SEEDS = Number(process.env["CHAOS_SEEDS"] ?? 20);
const [FULL, SMALL] = [500, 40];
const sessionsOf = (seed: number): number =>
  Number(process.env["CHAOS_SESSIONS"] ?? (seed === 1 ? FULL : SMALL));
const faultsOf = (sessions: number): number =>
  Number(process.env["CHAOS_FAULTS"] ?? 20 + Math.ceil(sessions / 4));
const MINUTE = 60_000;

const all = ONLY > 0 ? [ONLY] : Array.from({ length: SEEDS }, (_, at) => at + 1);

// Two at a time: they wait for processes that are stopped for a minute, so the time counts and not the work.
test.concurrent.for(all)(
  "seed %i: every line is written once or reported as unknown",
  { timeout: 45 * MINUTE },
  async (seed) => {
    const sessions = sessionsOf(seed);
    const sizes = { sessions, turns: 6, workers: 8, toolWorkers: 4, faults: faultsOf(sessions) };
    const times = { leaseMs: 3_000, stopMs: MINUTE, lateMs: 5_000, slowMs: 500 };
    const report = await runChaos({ seed, ...sizes, ...times });
    console.log(
      `seed ${seed}, ${sessions} sessions: ${JSON.stringify({ ...report, problems: report.problems.length })}`,
    );
    expect(report.problems).toEqual([]);
  },
);
