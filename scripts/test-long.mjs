/** `npm run test:long`: runs the checks that take too long for every change. Run it before a release. Arguments are passed to vitest. */

import { installPrograms } from "./install-program.mjs";
import { build, run, runTests } from "./setup.mjs";

build();
installPrograms({ isLong: true });
runTests(["--project", "long", ...process.argv.slice(2)]);
run(process.execPath, ["--import", "tsx", "packages/permissions/test/shell-fuzz/run-mutants.ts"]);
run(process.execPath, ["--import", "tsx", "examples/peers/run.mjs"]);
run(process.execPath, ["scripts/site.mjs"]);
