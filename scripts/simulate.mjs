/** `npm run simulate [seeds]`: simulated turns, a million unless told otherwise. */

import { install, run } from "./setup.mjs";

install();
run(process.execPath, [
  "--import",
  "tsx",
  "packages/engine/test/simulation/run.ts",
  ...process.argv.slice(2),
]);
