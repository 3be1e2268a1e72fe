/** `runahead trust`: enables the settings, hooks, servers, sub-agents, skills and commands of a folder. */

import { acceptedByTrust, loadSettings, trustIn } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { reveal } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";

interface TrustOptions {
  readonly revoke?: boolean;
  /** Also accepts settings that turn questions off or weaken the sandbox. */
  readonly accept?: boolean;
}

export async function changeTrust(
  world: World,
  { revoke = false, accept = false }: TrustOptions,
): Promise<number> {
  const trust = trustIn(world);
  const weaker = revoke ? [] : acceptedByTrust(await loadSettings(world));
  if (revoke) await trust.revoke(world.cwd);
  else await trust.trust(world.cwd, accept ? weaker : []);
  for (const setting of weaker) world.print(`${accept ? "Accepted" : "Not accepted"}: ${reveal(setting)}`);
  if (weaker.length > 0 && !accept)
    world.print("These settings weaken your protection. To use them, run `runahead trust --accept`.");
  world.print(`${world.cwd} is ${revoke ? "no longer trusted" : "now trusted"} (saved in ${trust.path}).`);
  return EXIT.done;
}
