/** Within a process, only one agent or query at a time can write to a session. */

import { lockedInProcess } from "./error.ts";
import type { Session } from "./session.ts";

export type Holder = "an agent" | "a query";

const holders = new WeakMap<Session, Holder>();

/** Throws `SessionLocked` if an agent or a query of this process uses the session. */
export function checkFree(session: Session | undefined): void {
  const holder = session === undefined ? undefined : holders.get(session);
  if (session !== undefined && holder !== undefined) throw lockedInProcess(session.id, holder);
}

/** Takes the session and returns a function that releases it. Throws `SessionLocked` if it is in use. */
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
