/** `npm run test:long`: 10,000 rounds of calls beside the racer, unless another number is given. */

import { raceFileTools } from "./racing.ts";

const rounds = Number(process.argv[2] ?? 10_000);
const { calls, succeeded, moved, problems } = await raceFileTools(rounds);
const counts = Object.entries(succeeded).map(([tool, count]) => `${tool} ${count}`);
console.log(
  `${calls} calls, succeeded: ${counts.join(", ")}; stopped by a move: ${moved}; ${problems.length} problems`,
);
for (const problem of problems.slice(0, 20)) console.log(`- ${problem.slice(0, 500)}`);
process.exit(problems.length === 0 && moved > 0 ? 0 : 1);
