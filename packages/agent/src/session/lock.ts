/** One writer per session, across processes. */

import { join } from "node:path";
import { type Lock, lockHolder as holderOf, tryLock } from "@runahead/base";
import { lockedByProcess } from "./error.ts";

export type { Lock } from "@runahead/base";

/** In lower case, so that of ids that differ in case only one can be taken. */
export function lockPath(folder: string, id: string): string {
  return join(folder, `${id.toLowerCase()}.lock`);
}

/** Throws `SessionLocked` where a process that lives has it. */
export async function takeLock(folder: string, id: string): Promise<Lock> {
  const directory = lockPath(folder, id);
  const attempt = await tryLock(directory);
  if (attempt.type === "busy") throw lockedByProcess(id, attempt.pid, directory);
  return attempt.lock;
}

/** The process that has the session, if one lives. */
export function lockHolder(folder: string, id: string): Promise<number | undefined> {
  return holderOf(lockPath(folder, id));
}
