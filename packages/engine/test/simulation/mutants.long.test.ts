import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { simulateWorlds } from "../outside/processes.ts";
import { simulateTreePart } from "../trees/processes.ts";
import { wholeRun } from "../support/long-run.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { SOURCES } from "../support/simulation-processes.ts";
import { simulatePart } from "./processes.ts";

const MOST_SEEDS = 6_000;

async function withMutant<Result>(mutant: Mutant, use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "runahead-mutant-"));
  try {
    await cp(SOURCES, folder, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
    const file = join(folder, mutant.file);
    const text = await readFile(file, "utf8");
    expect(text.split(mutant.find)).toHaveLength(2);
    await writeFile(file, text.replace(mutant.find, mutant.replace));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

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
      await withMutant(mutant, (folder) => FAILURES[view](folder, mutant.from?.[view] ?? 1)),
    ).not.toEqual([]);
  },
);
