/** `npm start`: sets everything up, then plays a scripted response through the engine with real tools. */

import { build, run } from "./setup.mjs";

build();
run(process.execPath, ["--import", "tsx", "examples/demo.ts", ...process.argv.slice(2)]);
