/** `npm run test:long`: kills sessions 200 times, unless told otherwise. */

import { killSessions } from "./killing.ts";

const kills = Number(process.argv[2] ?? 200);
const { whileRunning, sessions, problems } = await killSessions(kills, Math.random);
console.log(
  `${kills} kills in ${sessions} sessions that came to their end, ${whileRunning} while a call ran: ${problems.length} problems`,
);
for (const problem of problems) console.log(`- ${problem}`);
process.exit(problems.length === 0 && whileRunning >= kills / 2 ? 0 : 1);
