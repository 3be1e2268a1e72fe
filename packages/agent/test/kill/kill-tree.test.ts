import { expect, test } from "vitest";
import { killTree } from "./kill-tree.ts";

for (const seed of [1, 2])
  test(`sub-agents that are killed go on without losing or repeating work (seed ${seed})`, async () => {
    expect(await killTree(seed, 2)).toEqual([]);
  });
