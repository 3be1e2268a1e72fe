/** `npm start`: sets everything up, then plays the demo. Arguments go to it. */

import { build, run } from "./setup.mjs";

build();
run(process.execPath, ["packages/cli/bin/runahead.mjs", "demo", ...process.argv.slice(2)]);
