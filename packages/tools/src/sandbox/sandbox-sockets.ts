/**
 * Unix sockets of programs that run outside. A read-only mount does not keep a command from connecting to one, so each
 * that has a name on the disk is hidden from commands that can write. Commands that only read have no such sockets at all.
 */

import { lstatSync, readFileSync } from "node:fs";
import { isWithin, looked, realPath } from "./sandbox-paths.ts";

/** Every bound socket of this network, one a line; the path is the last of eight columns. */
const SOCKETS = "/proc/net/unix";
const LINE = /^(?:\S+\s+){7}(\/.*)$/;

/** bubblewrap fails if a socket is gone when it is to be hidden. Those that have been there for a while stay. */
const SETTLED_MS = 60_000;
/** The sandbox has its own of these. */
const OWN = /^\/(?:tmp|run)\//;

/** Paths of sockets that programs have been listening on for a minute. Those in writable folders are for the project's own servers. */
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
