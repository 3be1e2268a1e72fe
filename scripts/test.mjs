/** `npm test`: installs and builds, then runs the unit and system tests. Arguments are passed to vitest. */

import { installPrograms } from "./install-program.mjs";
import { build, runTests } from "./setup.mjs";

build();
installPrograms();
runTests(["--project", "unit", "--project", "system", "--project", "whole", ...process.argv.slice(2)]);
