/** `npm run check:wire -- DIR`: replays recorded responses and compares our readers with the official SDKs. */

import { install, run } from "./setup.mjs";

install();
run(process.execPath, ["--import", "tsx", "packages/agent/test/wire/run.ts", ...process.argv.slice(2)]);
