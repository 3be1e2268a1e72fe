/**
 * Unix sockets of programs that run outside. A read-only mount does not keep a command from connecting to one, so each
 * that has a name on the disk is hidden from commands that can write. Commands that only read have no such sockets at all.
 */

import { readFileSync } from "node:fs";
import { isWithin, kindOf, looked, realPath } from "./sandbox-paths.ts";

/** Every bound socket of this network, one a line; the path is the last of eight columns. */
const SOCKETS = "/proc/net/unix";
const LINE = /^(?:\S+\s+){7}(\/.*)$/;

/** The sandbox has its own of these. */
const OWN = /^\/(?:tmp|run)\//;

/** Paths of sockets that programs listen on now. Those in writable folders are for the project's own servers. */
export function foreignSockets(writable: readonly string[]): string[] {
  const lines = (looked(() => readFileSync(SOCKETS, "utf8")) ?? "").split("\n");
  const paths = lines.flatMap((line) => LINE.exec(line)?.[1] ?? []).map(realPath);
  return [...new Set(paths)].filter(
    (path) =>
      !OWN.test(path) && !writable.some((folder) => isWithin(path, folder)) && kindOf(path) === "other",
  );
}
