import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledChild, bundledChild } from "./bundled-child.ts";
import { TREE_CHILD, killTree } from "./kill-tree.ts";

const KILLS = 200;
const KILLS_EACH = 4;
/** A run mostly waits for git and for its own pauses. */
const AT_ONCE = 3;

let child: BundledChild;
beforeAll(async () => {
  child = await bundledChild(TREE_CHILD);
});
afterAll(() => child.remove());

test(`${KILLS} kills with sub-agents at work lose nothing, repeat nothing, and leave no worktree`, {
  timeout: 3_600_000,
}, async () => {
  const wrong: [seed: number, problems: readonly string[]][] = [];
  let seed = 100;
  let hits = 0;
  const work = async (): Promise<void> => {
    while (hits < KILLS) {
      const own = seed++;
      const killed = await killTree({ program: child.path, seed: own, kills: KILLS_EACH });
      hits += killed.hits;
      if (killed.wrong.length > 0) wrong.push([own, killed.wrong]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  console.log(`${hits} kills in ${seed - 100} sessions`);
  expect(wrong).toEqual([]);
});
