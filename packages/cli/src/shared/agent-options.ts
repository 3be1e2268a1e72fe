/** Turns the flags of the command line into the options of a coding agent. */

import type { CodingAgentOptions, HarnessOptions, Listeners } from "@runahead/harness";
import type { RunFlags } from "./flags.ts";
import type { World } from "./world.ts";

type OwnFlag = Exclude<keyof RunFlags, keyof HarnessOptions>;

const IS_OWN: Readonly<Record<OwnFlag, true>> = {
  print: true,
  outputFormat: true,
  inputFormat: true,
  includePartialMessages: true,
  verbose: true,
  replayUserMessages: true,
  allowDangerouslySkipPermissions: true,
  permissionPrompts: true,
  awaitInitialize: true,
  timeline: true,
  choosesSession: true,
  initOnly: true,
};

export function agentOptions(world: World, flags: RunFlags, listeners: Listeners): CodingAgentOptions {
  const { cwd, home, env } = world;
  const ofAgent = Object.entries(flags).filter(([name]) => !Object.hasOwn(IS_OWN, name));
  return { cwd, home, env, ...(Object.fromEntries(ofAgent) as HarnessOptions), ...listeners };
}
