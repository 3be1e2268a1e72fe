/** Redis, for tests and the bench of tools on other machines. */

import { installProgram } from "./install-program.mjs";

const problem = installProgram("redis-server");
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
