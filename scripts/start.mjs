/** `npm start`: installs and builds, then plays the demo. Arguments are passed to the demo. */

import { build, run } from "./setup.mjs";

build();
run(process.execPath, ["packages/cli/bin/runahead.mjs", "demo", ...process.argv.slice(2)]);
