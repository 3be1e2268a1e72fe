/** `npm run simulate [seeds] [-- --from seed --jobs processes]`: simulated turns and sessions, a million by default. */

import { readLongRun, seedsOf } from "../support/long-run.ts";
import { simulateTrees } from "../trees/processes.ts";
import { report as reportTrees } from "../trees/simulate.ts";
import { simulateAll } from "./processes.ts";
import { report } from "./simulate.ts";

const run = readLongRun(1_000_000);
const progress = (what: string) => (done: number) =>
  process.stderr.write(`\r${done} of ${run.count} ${what}`);
const turns = await simulateAll(run, progress("turns"));
console.log(`\n${seedsOf(run)}: ${report(turns)}`);
const sessions = await simulateTrees(run, progress("sessions"));
console.log(`\n${seedsOf(run)}: ${reportTrees(sessions)}`);
process.exit(turns.failures.length + sessions.failures.length === 0 ? 0 : 1);
