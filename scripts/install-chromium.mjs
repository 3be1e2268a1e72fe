/** Chromium, for tests of pages. */

import { installProgram } from "./install-program.mjs";

const problem = installProgram("chromium");
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
