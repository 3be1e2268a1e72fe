/** `npm test`: sets everything up, then runs all tests. Arguments go to the test runner. */

import { build, runBin } from "./setup.mjs";

build();
runBin("vitest", ["run", ...process.argv.slice(2)]);
