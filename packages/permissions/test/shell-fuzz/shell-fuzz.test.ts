import { afterAll, beforeAll, expect, test } from "vitest";
import { describeReport, fuzz, productJudge } from "./fuzz.ts";
import { type Jail, makeJail } from "./jail.ts";
import { WEAK } from "./weak.ts";

const COMMANDS = 1_000;
/** A weakness shows in few of them. */
const WEAK_COMMANDS = 1_500;
const FIRST_SEED = 10_000;

let jail: Jail;
beforeAll(() => {
  jail = makeJail();
}, 120_000);
afterAll(() => jail.remove());

test("what is allowed runs nothing that is not allowed, and changes nothing that it may not", {
  timeout: 120_000,
}, async () => {
  const report = await fuzz({ firstSeed: FIRST_SEED, count: COMMANDS, jail });
  const text = describeReport(report);
  console.log(`shell fuzzer, first seed ${FIRST_SEED}: ${text}`);
  expect([report.total, report.counterexamples.length, text]).toEqual([COMMANDS, 0, text]);
  expect(report.allowed / report.total).toBeGreaterThan(0.3);
});

test.each(Object.entries(WEAK))(
  "a judge that %s is caught within a few hundred commands",
  { timeout: 120_000 },
  async (_, weak) => {
    const { counterexamples } = await fuzz({
      firstSeed: FIRST_SEED,
      count: WEAK_COMMANDS,
      jail,
      // Only what the weakness alone lets through: else it could be the product that is caught.
      judge: (command, rules) => weak(command, rules) && !productJudge(command, rules),
      maxCounterexamples: 1,
      shrinks: false,
    });
    expect(counterexamples.length).toBe(1);
  },
);
