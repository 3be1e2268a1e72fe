/** The session that a command is about. */

import { type SessionSummary, sessions, runaheadHome } from "@runahead/harness";
import { UsageError } from "@runahead/harness";
import type { World } from "../shared/world.ts";

/** All sessions of this folder, newest first. */
export function sessionsHere(world: World): Promise<SessionSummary[]> {
  const { cwd, complain } = world;
  return sessions({ home: runaheadHome(world), cwd, onNotice: complain }).list();
}

/** By its id or the beginning of it; without one, the latest. Throws a `UsageError` if there is none. */
export async function findSession(world: World, wanted: string | undefined): Promise<SessionSummary> {
  const all = await sessionsHere(world);
  if (wanted === undefined) {
    const [latest] = all;
    if (latest === undefined) throw new UsageError("there is no session in this folder");
    return latest;
  }
  const exact = all.filter(({ id }) => id === wanted);
  const matching =
    exact.length > 0 ? exact : all.filter(({ id }) => id.toLowerCase().startsWith(wanted.toLowerCase()));
  const [found] = matching;
  if (found !== undefined && matching.length === 1) return found;
  const near = (matching.length > 1 ? matching : all).slice(0, 3).map(({ id }) => id);
  const hint = near.length === 0 ? "" : ` There are: ${near.join(", ")}.`;
  const several = matching.length > 1 ? "several sessions begin with" : "there is no session";
  throw new UsageError(`${several} ${wanted} in this folder.${hint}`);
}
