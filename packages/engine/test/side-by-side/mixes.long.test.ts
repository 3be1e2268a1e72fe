import { expect, test } from "vitest";
import { runMix } from "./mixes.ts";

const MIXES = 100;

test(`${MIXES} mixes of 8 executors with 40 calls each lose no increment and no line`, {
  timeout: 1_800_000,
}, async () => {
  for (let seed = 1; seed <= MIXES; seed++) {
    const { expected, found, wrongLines, failed } = await runMix(seed);
    expect([seed, found, wrongLines, failed]).toEqual([seed, expected, [], []]);
  }
});
