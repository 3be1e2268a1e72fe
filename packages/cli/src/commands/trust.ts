/** `runahead trust`: a person's word that what is in a folder may grant and run. */

import { trustIn } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";

export async function changeTrust(world: World, { revoke = false }: { revoke?: boolean }): Promise<number> {
  const trust = trustIn(world);
  if (revoke) await trust.revoke(world.cwd);
  else await trust.trust(world.cwd);
  world.print(`${world.cwd} is ${revoke ? "no longer trusted" : "trusted"}. (${trust.path})`);
  return EXIT.done;
}
