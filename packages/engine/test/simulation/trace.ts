/** Shows one seed: `trace.ts SEED` prints its plan, its journal and what failed. */

import { checkEnd } from "./checks.ts";
import { checkCrashes } from "./checks-of-journal.ts";
import { engine } from "../support/engine-under-test.ts";
import { makePlan } from "./plan.ts";
import { World } from "./world.ts";

const seed = Number(process.argv[2]);
const world = new World(engine, makePlan(seed));
const { calls, ...rest } = world.plan;
console.log(JSON.stringify(rest));
for (const call of calls) console.log(JSON.stringify(call));
try {
  await world.run();
  checkEnd(world, engine);
  if (world.lost === 0) checkCrashes(world, engine);
} catch (error) {
  console.log("FAILED", (error as Error).message);
}
for (const [at, event] of world.journal.entries()) console.log(at, JSON.stringify(event));
for (const { plan, startOrder, started, seen } of world.records.values()) {
  if (started) console.log("started", startOrder, plan.id, seen.join(" "));
}
