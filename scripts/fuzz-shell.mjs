/** `npm run fuzz:shell [commands [seed]]`: runs commands that permissions allow with bash in a jail (default: 10,000). */

import { install, run } from "./setup.mjs";

install();
run(process.execPath, [
  "--import",
  "tsx",
  "packages/permissions/test/shell-fuzz/run.ts",
  ...process.argv.slice(2),
]);
