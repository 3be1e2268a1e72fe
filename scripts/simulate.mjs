/** `npm run simulate [seeds] [-- --from seed --jobs processes]`: simulated turns and sessions, a million by default. */

import { install, run } from "./setup.mjs";

install();
run(process.execPath, [
  "--import",
  "tsx",
  "packages/engine/test/simulation/run.ts",
  ...process.argv.slice(2),
]);
