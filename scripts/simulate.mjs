/** `npm run simulate [seeds]`: simulates turns (default: 1,000,000 seeds). */

import { install, run } from "./setup.mjs";

install();
run(process.execPath, [
  "--import",
  "tsx",
  "packages/engine/test/simulation/run.ts",
  ...process.argv.slice(2),
]);
