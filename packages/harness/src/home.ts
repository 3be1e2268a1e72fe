/** Where the program keeps what is the person's own. */

import { join, resolve } from "node:path";
import type { Surroundings } from "./surroundings.ts";

export function runaheadHome({ env, home }: Pick<Surroundings, "env" | "home">): string {
  return resolve(env["RUNAHEAD_HOME"] || join(home, ".runahead"));
}
