/** The check of what is kept, many times in one process: `FROM COUNT` prints what failed as JSON. */

import { engine } from "../support/engine-under-test.ts";
import { keptOutputs } from "./large.ts";
import type { Failed } from "./simulate.ts";

const [from, count] = process.argv.slice(2).map(Number) as [number, number];
const failed: Failed[] = [];
for (let seed = from; seed < from + count; seed++) {
  const message = await keptOutputs(engine);
  if (message !== undefined) failed.push({ seed, message });
}
process.stdout.write(JSON.stringify(failed));
