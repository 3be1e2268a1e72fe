/** `npm test`: sets everything up, then runs all tests. Arguments go to the test runner. */

import { installProgram } from "./install-program.mjs";
import { build, runBin } from "./setup.mjs";

build();
// One after the other, before the tests: two of them that install at once get into each other's way. What cannot be
// installed is said here, and the tests that need it fail.
for (const program of ["git", "python3", "bwrap", "openssl", "redis-server", "chromium"]) {
  const problem = installProgram(program);
  if (problem !== undefined) console.error(problem);
}
runBin("vitest", ["run", ...process.argv.slice(2)]);
