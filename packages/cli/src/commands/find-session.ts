/** Finds the session that a command works on. */

import { type SessionSummary, sessions, runaheadHome } from "@runahead/harness";
import { UsageError } from "@runahead/harness";
import type { World } from "../shared/world.ts";

/** Lists all sessions in this folder, newest first. */
export function sessionsHere(world: World): Promise<SessionSummary[]> {
  const { cwd, complain } = world;
  return sessions({ home: runaheadHome(world), cwd, onNotice: complain }).list();
}

/** Finds a session by its id or the first characters of it. Default: the latest. Throws a `UsageError` if none matches. */
export async function findSession(world: World, wanted: string | undefined): Promise<SessionSummary> {
  const all = await sessionsHere(world);
  if (wanted === undefined) {
    const [latest] = all;
    if (latest === undefined) throw new UsageError("no sessions in this folder");
    return latest;
  }
  const exact = all.filter(({ id }) => id === wanted);
  const matching =
    exact.length > 0 ? exact : all.filter(({ id }) => id.toLowerCase().startsWith(wanted.toLowerCase()));
  const [found] = matching;
  if (found !== undefined && matching.length === 1) return found;
  const near = (matching.length > 1 ? matching : all).slice(0, 3).map(({ id }) => id);
  const hint =
    near.length === 0 ? "" : ` ${matching.length > 1 ? "Matches" : "Latest sessions"}: ${near.join(", ")}.`;
  const several =
    matching.length > 1
      ? "several sessions in this folder start with"
      : "no session in this folder starts with";
  throw new UsageError(`${several} ${wanted}.${hint}`);
}
