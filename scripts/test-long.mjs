/** `npm run test:long`: what takes too long for every change. Run before a release. */

import { build, run } from "./setup.mjs";

build();
run(process.execPath, ["--import", "tsx", "packages/harness/test/kill/run.ts", "200"]);
run(process.execPath, ["--import", "tsx", "packages/tools/test/race/run.ts", "10000"]);
run(process.execPath, ["--import", "tsx", "packages/permissions/test/shell-fuzz/run-mutants.ts"]);
run(process.execPath, ["--import", "tsx", "packages/engine/test/simulation/run.ts", "1000000"]);
run(process.execPath, ["--import", "tsx", "packages/engine/test/outside/run.ts", "200000"]);
run(process.execPath, ["--import", "tsx", "examples/peers/run.mjs"]);
run(process.execPath, ["scripts/pack-check.mjs", "--nodes", "22,24"]);
run(process.execPath, ["scripts/site.mjs"]);
