import { expect, test } from "vitest";
import { ATTACK_CLASSES } from "./classes.ts";
import { describeReport, fuzz } from "./fuzz.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { huntMutant, mutantOf } from "./mutate-sources.ts";
import { useJail } from "./use-jail.ts";

const COMMANDS = 1_000;
/** One in sixty of them is of the mutant's class. */
const MUTANT_COMMANDS = 6_000;
const FIRST_SEED = 10_000;

const jail = useJail();

test("allowed commands run only allowed programs and change only allowed files", {
  timeout: 120_000,
}, async () => {
  const report = await fuzz({ firstSeed: FIRST_SEED, count: COMMANDS, jail: jail() });
  const text = describeReport(report);
  console.log(`shell fuzzer, first seed ${FIRST_SEED}: ${text}`);
  expect([report.total, report.counterexamples.length, text]).toEqual([COMMANDS, 0, text]);
  expect(report.allowed / report.total).toBeGreaterThan(0.3);
});

test("every class of attacks has at least five removed fixes", () => {
  const counts = ATTACK_CLASSES.map((name) => MUTANTS.filter(({ attack }) => attack === name).length);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(5);
});

/** The first of each class; `npm run test:long` runs all of them. */
const FIRST = ATTACK_CLASSES.map(
  (name, at) => [at + 1, name, MUTANTS.find(({ attack }) => attack === name) as Mutant] as const,
);

test.each(FIRST)(
  "class %i (%s): with a fix removed, the fuzzer finds a way through",
  {
    timeout: 120_000,
  },
  async (_, __, mutant) => {
    const { counterexamples } = await huntMutant(mutant, {
      jail: jail(),
      firstSeed: FIRST_SEED,
      count: MUTANT_COMMANDS,
    });
    expect(counterexamples.length).toBe(1);
  },
);

test("a mutant whose text is no longer in the sources is an error", async () => {
  const stale = { attack: "links", title: "stale", edits: [{ file: "index.ts", find: "?!", replace: "" }] };
  await expect(mutantOf(stale as Mutant)).rejects.toThrow(/"stale" is out of date.* 0 times in index\.ts/);
});
