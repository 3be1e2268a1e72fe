import { expect, test } from "vitest";
import { runMix } from "./mix.ts";

test("eight agents that change the same files lose nothing", async () => {
  expect(await runMix({ seed: 1, steps: 6 })).toEqual([]);
});
