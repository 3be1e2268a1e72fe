/** Allows one writer per session, across processes. */

import { join } from "node:path";
import { type Lock, lockHolder as holderOf, tryLock } from "@runahead/base";
import { lockedByProcess, lockedHere } from "./error.ts";

export type { Lock } from "@runahead/base";

/** In lower case, so that ids that differ only in case share one lock. */
export function lockPath(folder: string, id: string): string {
  return join(folder, `${id.toLowerCase()}.lock`);
}

/** Throws `SessionLocked` if a running process holds the lock. */
export async function takeLock(folder: string, id: string): Promise<Lock> {
  const directory = lockPath(folder, id);
  const attempt = await tryLock(directory);
  if (attempt.type === "busy" && attempt.isOwn) throw lockedHere(id);
  if (attempt.type === "busy") throw lockedByProcess(id, attempt.pid, directory);
  return attempt.lock;
}

/** Returns the running process that holds the lock, if there is one. */
export function lockHolder(folder: string, id: string): Promise<number | undefined> {
  return holderOf(lockPath(folder, id));
}
