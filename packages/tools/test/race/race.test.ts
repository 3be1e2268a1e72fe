import { expect, test } from "vitest";
import { CALLS_PER_ROUND, raceFileTools } from "./racing.ts";

const ROUNDS = 100;

test("class 9: beside a process that exchanges folders and files for links, no forbidden byte is shown and none is written", {
  timeout: 120_000,
}, async () => {
  const { calls, succeeded, moved, problems } = await raceFileTools(ROUNDS);
  expect(problems).toEqual([]);
  expect(calls).toBe(ROUNDS * CALLS_PER_ROUND);
  expect(Object.keys(succeeded).sort()).toEqual(["Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"]);
  expect(moved).toBeGreaterThan(0);
});
