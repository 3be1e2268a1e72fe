/** `npm run test:long`: what takes too long for every change. Run before a release. */

import { install, run } from "./setup.mjs";

install();
run(process.execPath, ["--import", "tsx", "packages/engine/test/simulation/run.ts", "1000000"]);
