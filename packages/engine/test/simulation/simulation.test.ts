import { expect, test } from "vitest";
import { wholeRun } from "../support/long-run.ts";
import { FAILED_BEFORE } from "./failed-before.ts";
import { SOURCES } from "../support/simulation-processes.ts";
import { simulateAll, simulatePart } from "./processes.ts";
import { medianCalls, report } from "./simulate.ts";

const SEEDS = 20_000;

/** What each run must have met often enough to mean something. */
const KINDS = [
  "abandoned",
  "aborted: sibling-error",
  "aborted: streaming-fallback",
  "aborted: timeout",
  "answer: change",
  "answer: later",
  "answer: no",
  "answer: no-with-words",
  "answer: throw",
  "attempt failed",
  "cut",
  "discard refused",
  "discarded",
  "duplicate id",
  "ended twice",
  "hook: change",
  "hook: deny",
  "hook: throw",
  "interrupt: message",
  "interrupt: stop",
  "invalid input",
  "late result dropped",
  "parked",
  "records lost",
  "refusal",
  "rule: deny",
  "rule: throw",
  "rules changed",
  "rules changed in between",
  "tool threw",
  "tried again",
  "unknown tool",
];

test(`the promises hold in ${SEEDS} simulated turns`, { timeout: 600_000 }, async () => {
  const summary = await simulateAll(wholeRun(SEEDS));
  console.log(report(summary));
  expect(summary.failures).toEqual([]);
  expect(summary.seeds).toBe(SEEDS);
  expect(summary.crashSeeds).toBe(SEEDS / 20);
  expect(medianCalls(summary)).toBeGreaterThanOrEqual(8);
  expect(summary.startedMidStream).toBeGreaterThan(SEEDS);
  expect(summary.overlapped).toBeGreaterThan(SEEDS);
  const rare = KINDS.filter((kind) => (summary.kinds[kind] ?? 0) < 0.05 * SEEDS);
  expect(rare).toEqual([]);
});

test("seeds that failed before do not fail again", { timeout: 60_000 }, async () => {
  for (const seed of FAILED_BEFORE) {
    const { failures } = await simulatePart(SOURCES, seed, { count: 1 });
    expect(failures).toEqual([]);
  }
});
