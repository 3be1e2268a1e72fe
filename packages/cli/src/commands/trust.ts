/** `runahead trust`: enables the settings, hooks, servers, sub-agents, skills and commands of a folder. */

import { acceptedByTrust, loadSettings, trustIn } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { reveal } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";

export async function changeTrust(world: World, { revoke = false }: { revoke?: boolean }): Promise<number> {
  const trust = trustIn(world);
  const accepted = revoke ? [] : acceptedByTrust(await loadSettings(world));
  if (revoke) await trust.revoke(world.cwd);
  else await trust.trust(world.cwd, accepted);
  for (const setting of accepted) world.print(`Accepted: ${reveal(setting)}`);
  world.print(`${world.cwd} is ${revoke ? "no longer trusted" : "now trusted"} (saved in ${trust.path}).`);
  return EXIT.done;
}
