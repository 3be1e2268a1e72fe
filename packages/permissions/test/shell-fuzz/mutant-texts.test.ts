import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MUTANTS } from "./mutants.ts";

const SOURCES = new URL("../../src/", import.meta.url);

test("the text that each mutant replaces occurs exactly once in the sources", () => {
  const stale = MUTANTS.flatMap(({ title, edits }) =>
    edits
      .filter(({ file, find }) => readFileSync(new URL(file, SOURCES), "utf8").split(find).length !== 2)
      .map(({ file }) => `${title} in ${file}`),
  );
  expect(MUTANTS.length).toBeGreaterThan(60);
  expect(stale).toEqual([]);
});
