/** `npm run simulate [seeds] [-- --from seed --jobs processes]`: simulated turns, a million by default. */

import { readLongRun, seedsOf } from "../support/long-run.ts";
import { simulateAll } from "./processes.ts";
import { report } from "./simulate.ts";

const run = readLongRun(1_000_000);
const summary = await simulateAll(run, (done) => process.stderr.write(`\r${done} of ${run.count} seeds`));
process.stderr.write("\n");
console.log(`${seedsOf(run)}: ${report(summary)}`);
process.exit(summary.failures.length === 0 ? 0 : 1);
