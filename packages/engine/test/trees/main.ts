/** A part of the simulation of trees, in a process of its own: `main.ts FOLDER FROM COUNT [stop]`. */

import { loadEngine } from "../simulation/engine-under-test.ts";
import { newSummary, simulateSeed } from "./simulate.ts";

const [folder, from, count, stopAtFirst] = process.argv.slice(2);
const engine = await loadEngine(folder as string);
const summary = newSummary();
let seed = Number(from);
/** What breaks the shell itself is a failure of the seed that did it. */
process.on("uncaughtException", (error) => {
  summary.failures.push({ seed, message: `seed ${seed}: ${error.stack}` });
  process.stdout.write(JSON.stringify(summary), () => process.exit(0));
});
for (; seed < Number(from) + Number(count); seed++) {
  await simulateSeed(engine, seed, summary);
  if (stopAtFirst === "stop" && summary.failures.length > 0) break;
}
process.stdout.write(JSON.stringify(summary));
