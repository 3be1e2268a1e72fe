/**
 * Finds Unix sockets of programs outside the sandbox. A read-only mount does not prevent connections, so sockets with a
 * path are hidden from commands that can write. Commands that only read cannot use Unix sockets at all.
 */

import { lstatSync, readFileSync } from "node:fs";
import { isWithin, looked, realPath } from "./sandbox-paths.ts";

/** Lists every bound socket, one per line; the path is the last of eight columns. */
const SOCKETS = "/proc/net/unix";
const LINE = /^(?:\S+\s+){7}(\/.*)$/;

/** bubblewrap fails if a socket disappears before it is hidden. Older sockets are likely to stay. */
const SETTLED_MS = 60_000;
/** The sandbox has its own versions of these folders. */
const OWN = /^\/(?:tmp|run)\//;

/** Returns sockets that are at least a minute old. Those in writable folders belong to the project's own servers. */
export function foreignSockets(writable: readonly string[]): string[] {
  const lines = (looked(() => readFileSync(SOCKETS, "utf8")) ?? "").split("\n");
  const paths = lines.flatMap((line) => LINE.exec(line)?.[1] ?? []).map(realPath);
  return [...new Set(paths)].filter(
    (path) => !OWN.test(path) && !writable.some((folder) => isWithin(path, folder)) && isSettled(path),
  );
}

function isSettled(path: string): boolean {
  const found = looked(() => lstatSync(path, { throwIfNoEntry: false }));
  return found?.isSocket() === true && Date.now() - found.mtimeMs >= SETTLED_MS;
}
