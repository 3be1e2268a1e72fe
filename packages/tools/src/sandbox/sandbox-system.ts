/** Mounts of the system that every sandbox has, and the search for bubblewrap. */

import { SYSTEM_FOLDERS, findProgram } from "@runahead/base";
import { kindOf, realPath } from "./sandbox-paths.ts";

/** Sockets and secrets below `/run` belong to programs that run outside. */
export const SYSTEM = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"];
/** In a container without the right to mount a new `/proc`, that of the container is used. */
export const NESTED_SYSTEM = SYSTEM.filter((_, at) => SYSTEM[at] !== "--proc" && SYSTEM[at - 1] !== "--proc");
/** Kernel settings are files of root, and root can write to them even without capabilities. */
const OF_KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr"].map(
  (name) => `/proc/${name}`,
);
/** A path without a file, so that `PATH` is not searched again. */
const MISSING_PROGRAM = "/usr/bin/bwrap";

/** Never returns a program of the workspace: it would run outside the sandbox. */
export function findBubblewrap(workspace: string, path = ""): string {
  const folders = [...SYSTEM_FOLDERS, path].join(":");
  return findProgram("bwrap", { workspace, path: folders }) ?? MISSING_PROGRAM;
}

export function kernelSettings(): string[] {
  if (process.getuid?.() !== 0) return [];
  return OF_KERNEL.filter((path) => kindOf(path) !== "missing").flatMap((path) => ["--ro-bind", path, path]);
}

/** The DNS configuration is often a file below `/run`. */
export function resolver(): string[] {
  const path = realPath("/etc/resolv.conf");
  return path.startsWith("/run/") && kindOf(path) === "file" ? ["--ro-bind", path, path] : [];
}
