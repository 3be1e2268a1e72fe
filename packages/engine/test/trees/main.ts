/** A part of the simulation of sessions, in a process of its own. */

import { simulateSeeds } from "../support/part.ts";
import { newSummary, simulateSeed } from "./simulate.ts";

await simulateSeeds(newSummary(), simulateSeed);
