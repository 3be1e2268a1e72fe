/** The user's folder. */

import { join, resolve } from "node:path";
import type { Surroundings } from "./surroundings.ts";

/**
 * Returns the user's folder: `RUNAHEAD_HOME`, or `~/.runahead`.
 *
 * @example
 * ```ts
 * runaheadHome({ env: {}, home: "/home/ann" }); // "/home/ann/.runahead"
 * ```
 */
export function runaheadHome({ env, home }: Pick<Surroundings, "env" | "home">): string {
  return resolve(env["RUNAHEAD_HOME"] || join(home, ".runahead"));
}
