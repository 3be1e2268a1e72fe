import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledChild, bundledChild } from "./bundled-child.ts";
import { TREE_CHILD, killTree } from "./kill-tree.ts";

let child: BundledChild;
beforeAll(async () => {
  child = await bundledChild(TREE_CHILD);
});
afterAll(() => child.remove());

test("sub-agents that are killed go on without losing or repeating work, and leave no worktree", async () => {
  expect((await killTree({ program: child.path, seed: 1, kills: 3 })).wrong).toEqual([]);
});
