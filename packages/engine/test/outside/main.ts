/** A part of a run, in a process of its own: `main.ts ENGINE FROM COUNT [stop]` prints what failed as JSON. */

import { pathToFileURL } from "node:url";
import type * as Engine from "../../src/index.ts";
import { simulate } from "./simulate.ts";

const [path, from, count, stop] = process.argv.slice(2);
const engine = (await import(pathToFileURL(path as string).href)) as typeof Engine;
const range = { from: Number(from), count: Number(count), stop: stop === "stop" };
process.stdout.write(JSON.stringify(await simulate(engine, range)), () => process.exit(0));
