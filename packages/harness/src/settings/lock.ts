/** Lets one process at a time change a file; the others wait for a limited time. */

import { setTimeout as pause } from "node:timers/promises";
import { tryLock } from "@runahead/base";
import { NotSaved } from "./error.ts";

const PAUSE_MS = 5;
const SPREAD_MS = 40;

/** Resolves with a function that releases the lock. Throws `NotSaved` after `waitMs`. */
export async function takeLock(path: string, waitMs: number): Promise<() => Promise<void>> {
  const folder = `${path}.lock`;
  const until = performance.now() + waitMs;
  for (;;) {
    const attempt = await tryLock(folder);
    if (attempt.type === "held") return () => attempt.lock.release();
    if (performance.now() > until) throw new NotSaved(path, busy(folder, attempt.pid, waitMs));
    // Random, so that processes that tried at the same time do not collide again.
    await pause(PAUSE_MS + Math.random() * SPREAD_MS);
  }
}

function busy(folder: string, pid: number, waitMs: number): string {
  const who = pid === 0 ? "another process" : `process ${pid}`;
  return `it has been locked by ${who} for more than ${waitMs} ms. If that process is gone, delete ${folder}.`;
}
