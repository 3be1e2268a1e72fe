/** A part of a run, in a process of its own: `FROM COUNT [stop]` prints what failed as JSON. */

import { engine } from "../support/engine-under-test.ts";
import { simulate } from "./simulate.ts";

const [from, count, stop] = process.argv.slice(2);
const range = { from: Number(from), count: Number(count), stop: stop === "stop" };
process.stdout.write(JSON.stringify(await simulate(engine, range)), () => process.exit(0));
