import { expect, test } from "vitest";
import { runMix } from "./mix.ts";

const MIXES = 100;
const STEPS = 40;
/** A mix mostly waits for processes to start and for locks, so several share the machine. */
const AT_ONCE = 5;

test(`${MIXES} mixes of eight agents lose nothing`, { timeout: 3_600_000 }, async () => {
  const seeds = Array.from({ length: MIXES }, (_, at) => at + 1).values();
  const wrong: [seed: number, problems: readonly string[]][] = [];
  const work = async (): Promise<void> => {
    for (const seed of seeds) {
      const problems = await runMix({ seed, steps: STEPS });
      if (problems.length > 0) wrong.push([seed, problems]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(wrong).toEqual([]);
});
