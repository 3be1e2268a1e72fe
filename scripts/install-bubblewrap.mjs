/** Bubblewrap, for the sandbox and for the fuzzing of shell permissions. */

import { fileURLToPath } from "node:url";
import { installProgram } from "./install-program.mjs";

/** What a person has to do, or undefined where it is installed. */
export const installBubblewrap = () => installProgram("bwrap");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = installBubblewrap();
  if (problem !== undefined) {
    console.error(problem);
    process.exit(1);
  }
}
