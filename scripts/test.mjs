/** `npm test`: sets everything up, then runs the unit and the system tests. Arguments go to the test runner. */

import { installPrograms } from "./install-program.mjs";
import { build, runBin } from "./setup.mjs";

build();
installPrograms();
runBin("vitest", ["run", "--project", "unit", "--project", "system", ...process.argv.slice(2)]);
