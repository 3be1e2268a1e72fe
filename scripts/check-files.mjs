/** `npm run check:files -- DIR`: how many of other people's settings, agents, skills, … are understood without loss. */

import { build, run } from "./setup.mjs";

build();
run(process.execPath, [
  "--import",
  "tsx",
  "packages/harness/test/check-files/run.ts",
  ...process.argv.slice(2),
]);
