import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledChild, bundledChild } from "./bundled-child.ts";
import { TREE_CHILD, killTree } from "./kill-tree.ts";

const TREES = 50;
const KILLS_EACH = 4;
/** A run mostly waits for git and for its own pauses. */
const AT_ONCE = 3;

let child: BundledChild;
beforeAll(async () => {
  child = await bundledChild(TREE_CHILD);
});
afterAll(() => child.remove());

test(`${TREES * KILLS_EACH} kills with sub-agents at work lose nothing, repeat nothing, and leave no worktree`, {
  timeout: 3_600_000,
}, async () => {
  const seeds = Array.from({ length: TREES }, (_, at) => 100 + at).values();
  const wrong: [seed: number, problems: readonly string[]][] = [];
  const work = async (): Promise<void> => {
    for (const seed of seeds) {
      const problems = await killTree({ program: child.path, seed, kills: KILLS_EACH });
      if (problems.length > 0) wrong.push([seed, problems]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(wrong).toEqual([]);
});
