/** Part of `npm run test:long`: runs every mutant against the commands of its class among 10,000. */

import { describeReport } from "./fuzz.ts";
import { makeJail } from "./jail.ts";
import { MUTANTS } from "./mutants.ts";
import { huntMutant } from "./mutate-sources.ts";

const [count, wanted] = [Number(process.argv[2] ?? 10_000), process.argv[3] ?? ""];
const jail = makeJail();
try {
  for (const mutant of MUTANTS.filter(({ title, attack }) => `${attack}: ${title}`.includes(wanted))) {
    const report = await huntMutant(mutant, { jail, firstSeed: 10_000, count });
    const [found] = report.counterexamples;
    console.log(`${found === undefined ? "MISSED" : "found"}  ${mutant.attack}: ${mutant.title}`);
    if (found === undefined) console.log(`  ${describeReport(report)}`);
    else
      console.log(
        `  after ${found.seed - 9_999} commands: ${JSON.stringify(found.command)}: ${found.problems.join("; ")}`,
      );
    if (found === undefined) process.exitCode = 1;
  }
} finally {
  jail.remove();
}
