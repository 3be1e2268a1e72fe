/** The engine that is simulated: the sources. For a mutant, these imports are redirected when the simulation is bundled. */

import * as index from "../../src/index.ts";
import { step } from "../../src/core/step.ts";
import { newTurn } from "../../src/core/turn.ts";
import { isUnlocked } from "../../src/runtime/locks.ts";

export const engine = { ...index, step, newTurn, isUnlocked };

export type Engine = typeof engine;
