/** Runs seeds and sums up what they did, so that one can see that the simulation is not vacuous. */

import type { Engine } from "../support/engine-under-test.ts";
import { checkCrashes, checkEnd } from "./checks.ts";
import { makeTree } from "./plan.ts";
import { TreeWorld } from "./world.ts";

export interface TreeSummary {
  seeds: number;
  agents: number;
  calls: number;
  /** In how many seeds each kind of thing happened. */
  kinds: Record<string, number>;
  failures: { seed: number; message: string }[];
}

const CRASH_EVERY = 20;

export function newSummary(): TreeSummary {
  return { seeds: 0, agents: 0, calls: 0, kinds: {}, failures: [] };
}

export async function simulateSeed(engine: Engine, seed: number, summary: TreeSummary): Promise<void> {
  const world = new TreeWorld(engine, makeTree(seed));
  try {
    await world.run();
    checkEnd(world, engine);
    if (seed % CRASH_EVERY === 0) checkCrashes(world, engine);
  } catch (error) {
    summary.failures.push({ seed, message: (error as Error).message });
  }
  summary.seeds++;
  summary.agents += world.team.length;
  summary.calls += world.calls.size;
  for (const kind of world.counts.keys()) summary.kinds[kind] = (summary.kinds[kind] ?? 0) + 1;
}

export function merge(one: TreeSummary, other: TreeSummary): TreeSummary {
  const kinds = { ...one.kinds };
  for (const [kind, count] of Object.entries(other.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count;
  return {
    seeds: one.seeds + other.seeds,
    agents: one.agents + other.agents,
    calls: one.calls + other.calls,
    kinds,
    failures: [...one.failures, ...other.failures],
  };
}

export function report({ seeds, agents, calls, kinds, failures }: TreeSummary): string {
  const average = (total: number): string => (total / seeds).toFixed(1);
  return [
    `${seeds} sessions, ${failures.length} failed; on average ${average(agents)} agents and ${average(calls)} calls`,
    ...Object.entries(kinds)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([kind, count]) => `  ${kind.padEnd(36)} in ${((100 * count) / seeds).toFixed(1)} % of the seeds`),
    ...failures.slice(0, 10).map(({ message }) => `FAILED ${message}`),
  ].join("\n");
}
