/** One process at a time changes a file; the others wait for a while. */

import { setTimeout as pause } from "node:timers/promises";
import { tryLock } from "@runahead/base";
import { NotSaved } from "./error.ts";

const PAUSE_MS = 5;
const SPREAD_MS = 40;

/** Resolves, when it is this process's turn, with the way to let go. Throws `NotSaved` after `waitMs`. */
export async function takeLock(path: string, waitMs: number): Promise<() => Promise<void>> {
  const folder = `${path}.lock`;
  const until = performance.now() + waitMs;
  for (;;) {
    const attempt = await tryLock(folder);
    if (attempt.type === "held") return () => attempt.lock.release();
    if (performance.now() > until) throw new NotSaved(path, busy(folder, attempt.pid, waitMs));
    // By chance, so that those who came at once do not come at once again.
    await pause(PAUSE_MS + Math.random() * SPREAD_MS);
  }
}

function busy(folder: string, pid: number, waitMs: number): string {
  const who = pid === 0 ? "others" : `process ${pid}`;
  return `it is being changed by ${who} for more than ${waitMs} ms. (If that is not so, delete ${folder}.)`;
}
