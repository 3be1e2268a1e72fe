/**
 * Unix sockets of programs that run outside. A read-only mount does not keep a command from connecting to one, so each
 * that has a name on the disk is hidden from commands that can write. Commands that only read have no such sockets at all.
 */

import { readFileSync } from "node:fs";
import { kindOf, looked } from "./sandbox-paths.ts";

/** Every bound socket of this network, one a line; the path is the last of eight columns. */
const SOCKETS = "/proc/net/unix";
const LINE = /^(?:\S+\s+){7}(\/.*)$/;

/** The paths of all sockets that programs listen on now. */
export function listeningSockets(): string[] {
  const lines = (looked(() => readFileSync(SOCKETS, "utf8")) ?? "").split("\n");
  const paths = lines.flatMap((line) => LINE.exec(line)?.[1] ?? []);
  return [...new Set(paths)].filter((path) => kindOf(path) === "other");
}
