import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as engine from "../../src/index.ts";
import { SOURCES } from "../support/simulation-processes.ts";
import { CACHE_MUTANTS } from "./mutants.ts";
import { compareSerial, runWorld } from "./world.ts";

const SEEDS = Array.from({ length: 25 }, (_, at) => at + 1);

test("with the cache, every read returns what was there at a moment of the call, whatever happens beside it", async () => {
  let reads = 0;
  let ran = 0;
  for (const seed of SEEDS) {
    const seen = await runWorld(engine, seed);
    expect([seed, seen.failures]).toEqual([seed, []]);
    reads += seen.reads;
    ran += seen.ran;
  }
  // Worlds in which the cache is hardly used do not test it.
  expect(ran).toBeLessThan(reads * 0.9);
});

test("one after the other, the results with the cache are those without it", async () => {
  for (const seed of SEEDS) expect([seed, await compareSerial(engine, seed)]).toEqual([seed, []]);
});

// The mutants themselves are long tests; a change of the cache that breaks one must show at once.
test("the text that each mutant replaces occurs exactly once in its file", () => {
  const stale = CACHE_MUTANTS.filter(({ file, edits }) => {
    const text = readFileSync(join(SOURCES, file), "utf8");
    return edits.some(([find]) => text.split(find).length !== 2);
  });
  expect(stale).toEqual([]);
});
