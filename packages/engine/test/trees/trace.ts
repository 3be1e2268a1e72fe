/** Shows one seed: `trace.ts SEED` prints its plan, what was recorded in which order, and what failed. */

import { engine } from "../support/engine-under-test.ts";
import { checkCrashes, checkEnd } from "./checks.ts";
import { makeTree } from "./plan.ts";
import { TreeWorld } from "./world.ts";

const world = new TreeWorld(engine, makeTree(Number(process.argv[2])));
const follow = world.follow.bind(world);
world.follow = (turn, event) => {
  follow(turn, event);
  console.log(world.ticks, turn.name, JSON.stringify(event));
};
console.log(JSON.stringify(world.plan, undefined, 1));
try {
  await world.run();
  checkEnd(world, engine);
  checkCrashes(world, engine);
} catch (error) {
  console.log("FAILED", (error as Error).message);
}
