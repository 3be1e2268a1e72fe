/** Runs seeds and sums up what they did, so that one can see that the simulation is not vacuous. */

import { checkEnd } from "./checks.ts";
import { checkCrashes } from "./checks-of-journal.ts";
import type { Engine } from "../support/engine-under-test.ts";
import { makePlan } from "./plan.ts";
import { World } from "./world.ts";

export interface Summary {
  seeds: number;
  crashSeeds: number;
  /** Calls per seed, sorted when asked for. */
  calls: number[];
  startedMidStream: number;
  overlapped: number;
  /** In how many seeds each kind of thing happened. */
  kinds: Record<string, number>;
  failures: { seed: number; message: string }[];
}

const CRASH_EVERY = 20;

export function newSummary(): Summary {
  return { seeds: 0, crashSeeds: 0, calls: [], startedMidStream: 0, overlapped: 0, kinds: {}, failures: [] };
}

export async function simulateSeed(engine: Engine, seed: number, summary: Summary): Promise<void> {
  const world = new World(engine, makePlan(seed));
  try {
    await world.run();
    checkEnd(world, engine);
    if (seed % CRASH_EVERY === 0) {
      if (world.lost === 0) checkCrashes(world, engine);
      summary.crashSeeds++;
    }
  } catch (error) {
    summary.failures.push({ seed, message: (error as Error).message });
  }
  summary.seeds++;
  summary.calls.push(world.records.size);
  summary.startedMidStream += world.startedMidStream;
  summary.overlapped += world.overlapped;
  for (const kind of world.counts.keys()) summary.kinds[kind] = (summary.kinds[kind] ?? 0) + 1;
}

export function merge(some: Summary, other: Summary): Summary {
  const kinds = { ...some.kinds };
  for (const [kind, count] of Object.entries(other.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count;
  return {
    seeds: some.seeds + other.seeds,
    crashSeeds: some.crashSeeds + other.crashSeeds,
    calls: some.calls.concat(other.calls),
    startedMidStream: some.startedMidStream + other.startedMidStream,
    overlapped: some.overlapped + other.overlapped,
    kinds,
    failures: [...some.failures, ...other.failures],
  };
}

export function medianCalls({ calls }: Summary): number {
  return calls.toSorted((one, other) => one - other)[Math.floor(calls.length / 2)] ?? 0;
}

export function report(summary: Summary): string {
  const { seeds, crashSeeds, startedMidStream, overlapped, kinds, failures } = summary;
  const lines = [
    `${seeds} seeds, ${failures.length} failed; a crash at every prefix on ${crashSeeds}`,
    `calls per seed: median ${medianCalls(summary)}; started in mid-stream: ${startedMidStream}; started beside another: ${overlapped}`,
    ...Object.entries(kinds)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([kind, count]) => `  ${kind.padEnd(36)} in ${((100 * count) / seeds).toFixed(1)} % of the seeds`),
    ...failures.slice(0, 10).map(({ message }) => `FAILED ${message}`),
  ];
  return lines.join("\n");
}
