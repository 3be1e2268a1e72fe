import { afterAll, beforeAll, expect, test } from "vitest";
import { bundledChild, killTree } from "./kill-tree.ts";

let child: Awaited<ReturnType<typeof bundledChild>>;
beforeAll(async () => {
  child = await bundledChild();
});
afterAll(() => child.remove());

test("sub-agents that are killed go on without losing or repeating work, and leave no worktree", async () => {
  expect((await killTree({ program: child.path, seed: 1, kills: 3 })).wrong).toEqual([]);
});
