import { expect, test } from "vitest";
import { simulateWorlds } from "../outside/processes.ts";
import { simulateTreePart } from "../trees/processes.ts";
import { wholeRun } from "../support/long-run.ts";
import { withMutant } from "../support/mutant.ts";
import { MUTANTS } from "./mutants.ts";
import { simulatePart } from "./processes.ts";

const MOST_SEEDS = 6_000;

const FAILURES = {
  inside: async (folder: string, from: number): Promise<readonly unknown[]> =>
    (await simulatePart(folder, from, { count: MOST_SEEDS, stop: true })).failures,
  outside: (folder: string, from: number): Promise<readonly unknown[]> =>
    simulateWorlds({ ...wholeRun(MOST_SEEDS), from }, { folder, stop: true }),
  trees: async (folder: string, from: number): Promise<readonly unknown[]> =>
    (await simulateTreePart(folder, from, { count: MOST_SEEDS, stop: true })).failures,
};

const CASES = MUTANTS.flatMap((mutant) =>
  mutant.noticedBy.map((view) => ({ title: mutant.title, mutant, view })),
);

test.concurrent.each(CASES)(
  "the $view simulation notices that $title",
  { timeout: 120_000 },
  async (tried) => {
    const { mutant, view } = tried;
    expect(
      await withMutant(mutant.file, [[mutant.find, mutant.replace]], (folder) =>
        FAILURES[view](folder, mutant.from?.[view] ?? 1),
      ),
    ).not.toEqual([]);
  },
);
