/** Where the program keeps what is the person's own. */

import { join, resolve } from "node:path";
import type { World } from "./world.ts";

export function runaheadHome({ env, home }: Pick<World, "env" | "home">): string {
  return resolve(env["RUNAHEAD_HOME"] || join(home, ".runahead"));
}
