/** A part of the simulation of the cache, in a process of its own. */

import type { Engine } from "../support/engine-under-test.ts";
import { simulateSeeds } from "../support/part.ts";
import { compareSerial, runWorld } from "./world.ts";

interface CacheSummary {
  readonly failures: { readonly seed: number; readonly message: string }[];
}

async function simulateSeed(engine: Engine, seed: number, { failures }: CacheSummary): Promise<void> {
  const found = [...(await runWorld(engine, seed)).failures, ...(await compareSerial(engine, seed))];
  failures.push(...found.map((message) => ({ seed, message })));
}

await simulateSeeds<CacheSummary>({ failures: [] }, simulateSeed);
