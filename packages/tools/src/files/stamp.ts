/** The state of a file as a text, for results that are used again while it is the same. */

import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";

/**
 * File systems note the time of a change in steps of some milliseconds. Within a step, a second change cannot be seen, so
 * a file that changed just now has no stamp.
 */
const STEP_MS = 100;

/** Undefined if the file does not exist or changed just now. */
export async function fileStamp(path: string, prefix = ""): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  return stats === undefined || isFresh(stats) ? undefined : `${prefix}${stampOf(stats)}`;
}

/** The time of the last status change is among them: programs can set the others. */
export function stampOf({ dev, ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(" ");
}

export function isFresh({ ctimeMs, mtimeMs }: BigIntStats): boolean {
  const since = BigInt(Date.now() - STEP_MS);
  return ctimeMs >= since || mtimeMs >= since;
}
