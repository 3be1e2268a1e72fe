/** `npm run test:long`: what takes too long for every change. Run before a release. */

import { installProgram } from "./install-program.mjs";
import { build, run, runBin } from "./setup.mjs";

build();
const problem = installProgram("chromium");
if (problem !== undefined) console.error(problem);
runBin("vitest", ["run", "--config", "vitest.browser.config.ts"]);
run(process.execPath, ["--import", "tsx", "packages/agent/test/kill/run.ts", "200"]);
run(process.execPath, ["--import", "tsx", "packages/engine/test/simulation/run.ts", "1000000"]);
run(process.execPath, ["--import", "tsx", "examples/peers/run.mjs"]);
run(process.execPath, ["scripts/pack-check.mjs", "--nodes", "22,24"]);
run(process.execPath, ["scripts/site.mjs"]);
