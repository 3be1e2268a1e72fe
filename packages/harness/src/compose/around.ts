/** What every part of a coding agent is made from. */

import type { Surroundings } from "../surroundings.ts";
import type { Listeners } from "./coding-agent.ts";
import type { HarnessOptions } from "./options.ts";

export interface Around {
  readonly world: Surroundings;
  readonly flags: HarnessOptions;
  readonly listeners: Listeners;
}
