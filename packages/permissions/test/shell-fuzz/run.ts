/** `npm run fuzz:shell [commands [seed]]`: 10,000 commands by default. */

import { describeReport, fuzz } from "./fuzz.ts";
import { makeJail } from "./jail.ts";

const [count, firstSeed] = [
  Number(process.argv[2] ?? 10_000),
  Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31)),
];
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(firstSeed) || firstSeed < 0) {
  console.error("Usage: npm run fuzz:shell [commands [seed]]. Both must be whole numbers.");
  process.exit(2);
}
const jail = makeJail();
try {
  console.log(`First seed: ${firstSeed}`);
  const onProgress = (done: number): unknown => process.stderr.write(`\r${done} of ${count} commands`);
  const report = await fuzz({ firstSeed, count, jail, onProgress });
  process.stderr.write("\n");
  console.log(describeReport(report));
  const isEnough = report.allowed >= 0.3 * report.total;
  if (!isEnough)
    console.log("Fewer than 30 % of the commands were allowed, which is too few for a useful result.");
  process.exitCode = report.counterexamples.length === 0 && isEnough ? 0 : 1;
} finally {
  jail.remove();
}
