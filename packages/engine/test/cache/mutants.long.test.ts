import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withMutant } from "../support/mutant.ts";
import { simulatePartWith } from "../support/simulation-processes.ts";
import { CACHE_MUTANTS } from "./mutants.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const MOST_SEEDS = 600;

test.concurrent.each(CACHE_MUTANTS)("the worlds notice that $title", async ({ file, edits, title }) => {
  const { failures } = await withMutant(file, edits, (folder) =>
    simulatePartWith<{ failures: { seed: number }[] }>(MAIN, [folder, 1], { count: MOST_SEEDS, stop: true }),
  );
  console.log(`${title}: noticed by seed ${failures[0]?.seed}`);
  expect(failures).not.toEqual([]);
});
