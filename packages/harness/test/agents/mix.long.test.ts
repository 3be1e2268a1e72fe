import { expect, test } from "vitest";
import { runMix } from "./mix.ts";

const MIXES = 100;
const STEPS = 40;

test(`${MIXES} mixes of eight agents lose nothing`, { timeout: 3_600_000 }, async () => {
  for (let seed = 1; seed <= MIXES; seed++)
    expect([seed, await runMix({ seed, steps: STEPS })]).toEqual([seed, []]);
});
