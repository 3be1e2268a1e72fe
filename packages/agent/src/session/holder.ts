/** One agent or query at a time writes to a session, also within a process. */

import { lockedInProcess } from "./error.ts";
import type { Session } from "./session.ts";

export type Holder = "an agent" | "a query";

const holders = new WeakMap<Session, Holder>();

/** Throws `SessionLocked` if an agent or a query of this process has it. */
export function checkFree(session: Session | undefined): void {
  const holder = session === undefined ? undefined : holders.get(session);
  if (session !== undefined && holder !== undefined) throw lockedInProcess(session.id, holder);
}

/** Returns what lets it go. Throws `SessionLocked` if somebody else has it. */
export function hold(session: Session | undefined, holder: Holder): () => void {
  checkFree(session);
  if (session === undefined) return () => {};
  holders.set(session, holder);
  let isHeld = true;
  return () => {
    if (isHeld) holders.delete(session);
    isHeld = false;
  };
}
