/**
 * Folders that belong to one running agent, named after its process. If the agent is killed, the next one finds its
 * folder and cleans up.
 */

import {
  constants,
  accessSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  statSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readProcess } from "@runahead/base";

interface Owner {
  readonly pid: number;
  readonly start: number;
  readonly boot: string;
  readonly namespace: string;
  readonly id: string;
}

/** The folder of an agent that no longer runs. */
export interface LeftFolder {
  readonly path: string;
  /** The id that the agent chose. */
  readonly id: string;
  /** Whether the system has not been restarted since. */
  readonly isThisBoot: boolean;
}

/** Returns the name of the folder of this process. */
export function ownFolderName(id: string): string {
  const { pid } = process;
  return [pid, readProcess(pid)?.start ?? 0, bootOf(), namespaceOf(), id].join(".");
}

/** Lists the folders of agents that no longer run. Folders of other users are left out. */
export function leftFolders(folder: string): LeftFolder[] {
  return names(folder).flatMap((name) => {
    const owner = parse(name);
    const path = join(folder, name);
    if (owner === undefined || !isOurs(path) || !isGone(owner)) return [];
    return [{ path, id: owner.id, isThisBoot: owner.boot === bootOf() }];
  });
}

/** A disk with less space cannot hold what a session of commands needs. */
const LEAST_BYTES = 65_536;

/**
 * Returns the folder itself, or a folder of this user in the system's temporary folder if nothing can be created in it,
 * such as on a read-only file system or a full disk.
 */
export function usableHome(home: string): string {
  if (!canCreate(home)) return temporaryHome();
  // With both on a full disk, the folder itself is the one that the user expects.
  return isFull(home) && !isFull(tmpdir()) ? temporaryHome() : home;
}

/** Both folders that an agent with this home can have used. */
export function homesOf(home: string): string[] {
  return [...new Set([home, temporaryHome()])];
}

/** Creates a folder for this user only. Throws if another user owns it. */
export function makeOwnFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const shared = temporaryHome();
  if (path.startsWith(`${shared}/`) && !isOurs(shared)) throw new Error(`${shared} belongs to another user`);
}

function temporaryHome(): string {
  return join(tmpdir(), `runahead-${process.getuid?.() ?? 0}`);
}

function isFull(path: string): boolean {
  try {
    // File systems without a size report 0 blocks.
    const { blocks, bavail, bsize } = statfsSync(existingPart(path));
    return blocks > 0 && bavail * bsize < LEAST_BYTES;
  } catch {
    return false;
  }
}

function existingPart(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

function canCreate(path: string): boolean {
  try {
    const at = existingPart(path);
    accessSync(at, constants.W_OK | constants.X_OK);
    return statSync(at).isDirectory();
  } catch {
    return false;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

/** An owner that cannot be seen from here (another container) counts as alive. */
function isGone({ pid, start, boot, namespace }: Owner): boolean {
  if (boot !== bootOf()) return true;
  return namespace === namespaceOf() && readProcess(pid)?.start !== start;
}

function parse(name: string): Owner | undefined {
  const [pid = "", start = "", boot = "", namespace = "", id = ""] = name.split(".");
  if (!/^\d+$/.test(pid) || !/^\d+$/.test(start) || id === "") return undefined;
  return { pid: Number(pid), start: Number(start), boot, namespace, id };
}

function bootOf(): string {
  return readText("/proc/sys/kernel/random/boot_id").trim() || "0";
}

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/** Returns an empty text if the file cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
