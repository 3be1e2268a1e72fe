import { expect, test } from "vitest";
import { describeReport, fuzz } from "./fuzz.ts";
import { useJail } from "./use-jail.ts";

const COMMANDS = 1_000;
const FIRST_SEED = 10_000;

const jail = useJail();

test("what is allowed runs nothing that is not allowed, and changes nothing that it may not", {
  timeout: 120_000,
}, async () => {
  const report = await fuzz({ firstSeed: FIRST_SEED, count: COMMANDS, jail: jail() });
  const text = describeReport(report);
  console.log(`shell fuzzer, first seed ${FIRST_SEED}: ${text}`);
  expect([report.total, report.counterexamples.length, text]).toEqual([COMMANDS, 0, text]);
  expect(report.allowed / report.total).toBeGreaterThan(0.3);
});
