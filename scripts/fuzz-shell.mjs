/** `npm run fuzz:shell [commands [seed]]`: what permissions allow, run by bash in a jail; 10,000 unless told otherwise. */

import { install, run } from "./setup.mjs";

install();
run(process.execPath, [
  "--import",
  "tsx",
  "packages/permissions/test/shell-fuzz/run.ts",
  ...process.argv.slice(2),
]);
