/** `run.ts [worlds] [--from seed] [--jobs processes]`: random worlds around the public API, 200,000 by default. */

import { readLongRun, seedsOf } from "../support/long-run.ts";
import { printFailures, simulateWorlds } from "./processes.ts";

const run = readLongRun(200_000);
const onProgress = (done: number): boolean => process.stderr.write(`\r${done} of ${run.count} worlds`);
const failed = await simulateWorlds(run, { onProgress, onFailure: printFailures() });
process.stderr.write("\n");
console.log(`${run.count} worlds (${seedsOf(run)}), ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
