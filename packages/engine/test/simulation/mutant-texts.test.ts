import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { SOURCES } from "../support/simulation-processes.ts";

// The mutants themselves are long tests; a change of the engine that breaks one must show at once.
test("the text that each mutant replaces occurs exactly once in its file", () => {
  const stale = MUTANTS.filter(
    ({ file, find }) => readFileSync(join(SOURCES, file), "utf8").split(find).length !== 2,
  );
  expect(stale).toEqual([]);
});
