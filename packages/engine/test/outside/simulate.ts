/** Runs worlds and gathers what failed. */

import type * as Engine from "../../src/index.ts";
import { largeTurns } from "./large.ts";
import { OutsideWorld } from "./world.ts";

export interface Failed {
  readonly seed: number;
  readonly message: string;
}

/** How often a large turn is run as well. */
const LARGE_EVERY = 1_000;

/** Worlds from one seed on. A rejection that nobody handles is a failure of the world in which it came up. */
export async function simulate(
  engine: typeof Engine,
  { from, count, stop }: { from: number; count: number; stop: boolean },
): Promise<Failed[]> {
  const failed: Failed[] = [];
  let world: OutsideWorld | undefined;
  const unhandled = (error: unknown): void => world?.fail(`unhandled: ${String(error)}`);
  process.on("unhandledRejection", unhandled);
  process.on("uncaughtException", unhandled);
  for (let seed = from; seed < from + count; seed++) {
    world = new OutsideWorld(engine, seed);
    const message =
      (await attempt(world)) ?? (seed % LARGE_EVERY === 1 ? await largeTurns(engine) : undefined);
    if (message !== undefined) failed.push({ seed, message });
    if (stop && failed.length > 0) break;
  }
  process.off("unhandledRejection", unhandled);
  process.off("uncaughtException", unhandled);
  return failed;
}

async function attempt(world: OutsideWorld): Promise<string | undefined> {
  try {
    return await world.run();
  } catch (error) {
    return `thrown: ${(error as Error).stack ?? String(error)}`;
  }
}
