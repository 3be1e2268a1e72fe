import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { withMutant } from "../support/mutant.ts";
import { CACHE_MUTANTS } from "./mutants.ts";
import { compareSerial, runWorld } from "./world.ts";

type Engine = typeof import("../../src/index.ts");

test.each(CACHE_MUTANTS)("the worlds notice that $title", async ({ file, edits }) => {
  await withMutant(file, edits, async (folder) => {
    const broken = (await import(pathToFileURL(join(folder, "index.ts")).href)) as Engine;
    let failures: readonly string[] = [];
    for (let seed = 1; seed <= 600 && failures.length === 0; seed++)
      failures = [...(await runWorld(broken, seed)).failures, ...(await compareSerial(broken, seed))];
    expect(failures).not.toEqual([]);
  });
});
