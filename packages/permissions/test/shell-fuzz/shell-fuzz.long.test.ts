import { expect, test } from "vitest";
import { describeReport, fuzz, productJudge } from "./fuzz.ts";
import { useJail } from "./use-jail.ts";
import { WEAK } from "./weak.ts";

const COMMANDS = 10_000;
/** A weakness shows in few of them. */
const WEAK_COMMANDS = 1_500;
const FIRST_SEED = 10_000;

const jail = useJail();

test(`of ${COMMANDS} commands, those that are allowed run and change only what is allowed`, {
  timeout: 1_200_000,
}, async () => {
  const firstSeed = Math.floor(Math.random() * 2 ** 31);
  const report = await fuzz({ firstSeed, count: COMMANDS, jail: jail() });
  const text = `first seed ${firstSeed}: ${describeReport(report)}`;
  expect([report.total, report.counterexamples.length, text]).toEqual([COMMANDS, 0, text]);
});

test.each(Object.entries(WEAK))(
  "a judge that %s is caught within a few hundred commands",
  { timeout: 120_000 },
  async (_, weak) => {
    const { counterexamples } = await fuzz({
      firstSeed: FIRST_SEED,
      count: WEAK_COMMANDS,
      jail: jail(),
      // Only what the weakness alone lets through: else it could be the product that is caught.
      judge: (command, rules) => weak(command, rules) && !productJudge(command, rules),
      maxCounterexamples: 1,
      shrinks: false,
    });
    expect(counterexamples.length).toBe(1);
  },
);
