/** `run.ts [worlds]`: random worlds around the public API, 200,000 by default. */

import { simulateWorlds } from "./processes.ts";

const worlds = Number(process.argv[2] ?? 200_000);
if (!Number.isInteger(worlds) || worlds < 1) {
  console.error(`The number of worlds must be a whole number of at least 1, not ${process.argv[2]}.`);
  process.exit(2);
}
const onProgress = (done: number): boolean => process.stderr.write(`\r${done} of ${worlds} worlds`);
const failed = await simulateWorlds(worlds, { onProgress });
process.stderr.write("\n");
console.log(`${worlds} worlds, ${failed.length} failed`);
for (const { seed, message } of failed.slice(0, 10)) console.log(`FAILED seed ${seed}: ${message}`);
process.exit(failed.length === 0 ? 0 : 1);
