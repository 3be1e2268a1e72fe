/**
 * The read-only sandbox under judges with holes: entries of the product's judge are removed at random, and what such a
 * judge then takes for a read is run. `WEAKENED_ROUNDS=50` runs more rounds, `WEAKENED_SEED` begins with another seed.
 */

import type { CanUseTool } from "@runahead/engine";
import { afterEach, beforeAll, expect, test } from "vitest";
import { judgeOf } from "../../../agent/src/loop/options.ts";
import {
  clearScenes,
  hostileCommands,
  makeScene,
  runHostile,
  watchOutside,
} from "../../test/support/hostile-scene.ts";
import { nothingLeft, requireBubblewrap } from "../../test/support/sandbox-world.ts";
import { JUDGE_ENTRIES, weakenedJudge } from "../../test/support/weakened-judge.ts";

beforeAll(requireBubblewrap, 120_000);
afterEach(async () => {
  await nothingLeft();
  await clearScenes();
});

const ROUNDS = Number(process.env["WEAKENED_ROUNDS"] ?? 3);
const SEED = Number(process.env["WEAKENED_SEED"] ?? 1);
/** Of what is allowed, so many are run in each round. */
const RUN_IN_ROUND = ROUNDS > 3 ? 400 : 24;
const SHARE_REMOVED = 0.5;

/** The same numbers each time: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => [random(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
}

test("class 10: with random entries of the judge removed, nothing is changed, sent or executed outside", async () => {
  const scene = await makeScene();
  const { world } = scene;
  const commands = hostileCommands(scene);
  const allowedBy = (decide: ReturnType<typeof weakenedJudge>["decide"]): string[] =>
    commands.filter((command) => decide("Bash", { command }).behavior === "allow");
  const whole = weakenedJudge(world.root, []);
  const harmless = new Set(allowedBy(whole.decide));
  whole.undo();
  const check = watchOutside(scene);
  for (let round = 0; round < ROUNDS; round++) {
    const random = randomFrom(SEED + round);
    const removed = JUDGE_ENTRIES.filter(() => random() < SHARE_REMOVED);
    const judge = weakenedJudge(world.root, removed);
    try {
      const wrong = allowedBy(judge.decide).filter((command) => !harmless.has(command));
      // Otherwise nothing is proved.
      expect([SEED + round, wrong.length]).toEqual([SEED + round, expect.toSatisfy((count) => count > 30)]);
      world.canUseTool = judgeOf({
        permissions: { decide: judge.decide },
      } as unknown as Parameters<typeof judgeOf>[0]) as CanUseTool;
      const run = shuffled(wrong, random).slice(0, RUN_IN_ROUND);
      const texts = await runHostile(world, run);
      expect(texts.filter((text) => text.includes("denied by permissions"))).toEqual([]);
      expect(texts.filter((text) => /s3cret-(?:env|file)/.test(text))).toEqual([]);
    } finally {
      judge.undo();
    }
    check();
  }
}, 600_000);
