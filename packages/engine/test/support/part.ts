/** The program of a part of a simulation, in a process of its own: `FROM COUNT [stop]` prints a summary as JSON. */

import { type Engine, engine } from "./engine-under-test.ts";

interface Failing {
  readonly failures: { readonly seed: number; readonly message: string }[];
}

export async function simulateSeeds<Summary extends Failing>(
  summary: Summary,
  simulateSeed: (engine: Engine, seed: number, summary: Summary) => Promise<void>,
): Promise<void> {
  const [from, count, stopAtFirst] = process.argv.slice(2);
  let seed = Number(from);
  // What breaks the runtime itself is a failure of the seed that did it.
  process.on("uncaughtException", (error) => {
    summary.failures.push({ seed, message: `seed ${seed}: ${error.stack}` });
    process.stdout.write(JSON.stringify(summary), () => process.exit(0));
  });
  for (; seed < Number(from) + Number(count); seed++) {
    await simulateSeed(engine, seed, summary);
    if (stopAtFirst === "stop" && summary.failures.length > 0) break;
  }
  process.stdout.write(JSON.stringify(summary));
}
