/** `runahead trust`: enables the allow rules, hooks and MCP servers of a folder. */

import { trustIn } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";

export async function changeTrust(world: World, { revoke = false }: { revoke?: boolean }): Promise<number> {
  const trust = trustIn(world);
  if (revoke) await trust.revoke(world.cwd);
  else await trust.trust(world.cwd);
  world.print(`${world.cwd} is ${revoke ? "no longer trusted" : "now trusted"} (saved in ${trust.path}).`);
  return EXIT.done;
}
