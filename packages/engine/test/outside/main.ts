/** A part of a run, in a process of its own: `main.ts ENGINE FROM COUNT` prints what failed as JSON. */

import { pathToFileURL } from "node:url";
import type * as Engine from "../../src/index.ts";
import { simulate } from "./simulate.ts";

const [path, from, count] = process.argv.slice(2);
const engine = (await import(pathToFileURL(path as string).href)) as typeof Engine;
process.stdout.write(JSON.stringify(await simulate(engine, Number(from), Number(count))));
