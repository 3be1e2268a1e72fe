/** `npm run simulate [seeds]`: a million seeds unless told otherwise. */

import { simulateAll } from "./processes.ts";
import { report } from "./simulate.ts";

const seeds = Number(process.argv[2] ?? 1_000_000);
if (!Number.isInteger(seeds) || seeds < 1) {
  console.error(`The number of seeds must be a whole number of at least 1, not ${process.argv[2]}.`);
  process.exit(2);
}
const summary = await simulateAll(seeds, (done) => process.stderr.write(`\r${done} of ${seeds} seeds`));
process.stderr.write("\n");
console.log(report(summary));
process.exit(summary.failures.length === 0 ? 0 : 1);
