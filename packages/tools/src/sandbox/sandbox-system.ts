/** What every sandbox has of the system around it, and the program that makes it. */

import { SYSTEM_FOLDERS, findProgram } from "@runahead/base";
import { kindOf, realPath } from "./sandbox-paths.ts";

/** Sockets and secrets below `/run` belong to programs that run outside. */
export const SYSTEM = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"];
/** The kernel's settings are files that belong to root, and root without any capability can still write to them. */
const OF_KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr"].map(
  (name) => `/proc/${name}`,
);
/** A path at which there is nothing, so that nobody searches `PATH` again. */
const MISSING_PROGRAM = "/usr/bin/bwrap";

/** Never a program that the workspace brings along: it would run outside of any sandbox. */
export function findBubblewrap(workspace: string, path = ""): string {
  const folders = [...SYSTEM_FOLDERS, path].join(":");
  return findProgram("bwrap", { workspace, path: folders }) ?? MISSING_PROGRAM;
}

export function kernelSettings(): string[] {
  if (process.getuid?.() !== 0) return [];
  return OF_KERNEL.filter((path) => kindOf(path) !== "missing").flatMap((path) => ["--ro-bind", path, path]);
}

/** Names of hosts are often looked up by a file below `/run`. */
export function resolver(): string[] {
  const path = realPath("/etc/resolv.conf");
  return path.startsWith("/run/") && kindOf(path) === "file" ? ["--ro-bind", path, path] : [];
}
