import { expect, test } from "vitest";
import { wholeRun } from "../support/long-run.ts";
import { simulateTrees } from "./processes.ts";
import { report } from "./simulate.ts";

const SEEDS = 20_000;

/** What each run must have met often enough to mean something. */
const KINDS = [
  "Agent",
  "Background",
  "agent left as it was after a crash",
  "background work ended",
  "crash",
  "crash: finished",
  "crash: never-started",
  "crash: unknown",
  "discarded",
  "granted",
  "granted in vain",
  "interference: message",
  "interference: rules",
  "interference: stop",
  "message to an agent at work",
  "message to an agent that had ended",
  "queued",
  "rate reached",
  "waits for a call of another agent",
  "woken",
];

test(`the promises hold in ${SEEDS} simulated sessions of agents side by side`, {
  timeout: 600_000,
}, async () => {
  const summary = await simulateTrees(wholeRun(SEEDS));
  console.log(report(summary));
  expect(summary.failures).toEqual([]);
  expect(summary.seeds).toBe(SEEDS);
  const rare = KINDS.filter((kind) => (summary.kinds[kind] ?? 0) < 0.02 * SEEDS);
  expect(rare).toEqual([]);
});
