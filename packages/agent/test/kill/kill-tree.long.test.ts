import { expect, test } from "vitest";
import { killTree } from "./kill-tree.ts";

const TREES = 50;
const KILLS_EACH = 4;

test(`${TREES * KILLS_EACH} kills with sub-agents at work lose nothing and repeat nothing`, {
  timeout: 3_600_000,
}, async () => {
  for (let seed = 100; seed < 100 + TREES; seed++)
    expect([seed, await killTree(seed, KILLS_EACH)]).toEqual([seed, []]);
});
