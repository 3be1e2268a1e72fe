/** The user's folder. */

import { aString, anObject, checkMembers, required } from "@runahead/base";
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
export function runaheadHome(where: Pick<Surroundings, "env" | "home">): string {
  checkHome(where, "runaheadHome");
  const { env, home } = where;
  return resolve(env["RUNAHEAD_HOME"] || join(home, ".runahead"));
}

const HOME = { home: required(aString), env: required(anObject) };
const SURROUNDINGS = { ...HOME, cwd: required(aString) };

/** Throws a TypeError if the user's home folder or the environment is missing. */
export function checkHome(where: unknown, of: string): void {
  checkMembers(where, HOME, of);
}

/** Throws a TypeError if the folder, the user's home folder or the environment is missing. */
export function checkSurroundings(where: unknown, of: string): void {
  checkMembers(where, SURROUNDINGS, of);
}
