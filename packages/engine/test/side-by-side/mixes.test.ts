import { expect, test } from "vitest";
import { runMix } from "./mixes.ts";

test.each([1, 2])(
  "8 executors with 40 calls each over the same files lose no increment and no line: mix %i",
  { timeout: 120_000 },
  async (seed) => {
    const { expected, found, wrongLines, failed } = await runMix(seed);
    expect(failed).toEqual([]);
    expect(found).toEqual(expected);
    expect(wrongLines).toEqual([]);
  },
);
