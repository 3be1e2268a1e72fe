/**
 * Opens what a resolved path names and proves from the descriptor that it is there (C18). Another process can exchange
 * a folder for a link at any moment, so a check of the path before or after the open proves nothing.
 */

import { type Stats, constants, existsSync } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { Refusal, codeOf } from "./refusal.ts";

/** A file or folder that stays the same one, whatever happens to its name. */
export interface Pin {
  readonly path: string;
  readonly stats: Stats;
  /** Leads to this very file or folder. Without /proc it is the path again, which another process can redirect. */
  readonly fixed: string;
  close(): Promise<void>;
}

export type Doing = "read" | "written" | "searched";

const HAS_DESCRIPTORS = process.platform === "linux" && existsSync("/proc/self/fd");
/** Opens the name itself: needs no permission to read, does not wait for a pipe and has no effect on a device. */
const O_PATH = 0o10000000;
/** A file that is saved by renaming moves, too, and is there again at the next attempt. */
const ATTEMPTS = 3;

/** Pins what is at a path that has its links resolved. Undefined: nothing is there. Throws if it keeps moving. */
export async function pin(path: string, doing: Doing): Promise<Pin | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await tryPin(path);
    if (found !== "moved") return found;
  }
  await refuseCycle(path);
  throw movedRefusal(path, doing);
}

/** Links that lead in a circle have no resolved path, and another attempt does not help. */
async function refuseCycle(path: string): Promise<void> {
  await realpath(path).catch((error: unknown) => {
    if (codeOf(error) === "ELOOP") throw error;
  });
}

/** Runs a job on what is pinned, then lets go of it. Undefined: nothing is there. */
export async function withPin<Value>(
  path: string,
  doing: Doing,
  job: (pinned: Pin) => Promise<Value>,
): Promise<Value | undefined> {
  const pinned = await pin(path, doing);
  if (pinned === undefined) return undefined;
  try {
    return await job(pinned);
  } finally {
    await pinned.close();
  }
}

/** Opens what is pinned to read it. Without /proc it can be another file by now: then it throws. */
export async function openPinned({ path, stats, fixed }: Pin, doing: Doing): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  if (HAS_DESCRIPTORS) return open(fixed, flags);
  const handle = await open(path, flags | constants.O_NOFOLLOW);
  if (isSameFile(await handle.stat(), stats) && (await isAt(path, stats))) return handle;
  await handle.close();
  throw movedRefusal(path, doing);
}

export function movedRefusal(path: string, doing: Doing): Refusal {
  return new Refusal(`${path} moved while it was being opened; nothing was ${doing}. Try again.`);
}

export function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

async function tryPin(path: string): Promise<Pin | "moved" | undefined> {
  try {
    return HAS_DESCRIPTORS ? await pinByDescriptor(path) : await pinByPath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    // The path has no links, so these say that one was put there.
    if (codeOf(error) === "ELOOP") return "moved";
    throw error;
  }
}

async function pinByDescriptor(path: string): Promise<Pin | "moved"> {
  const handle = await open(path, O_PATH | constants.O_NOFOLLOW);
  try {
    const fixed = `/proc/self/fd/${handle.fd}`;
    // The system says where the opened file is, also if a folder above it was a link in the moment of the open.
    const [stats, place] = await Promise.all([handle.stat(), readlink(fixed)]);
    if (place === path && !stats.isSymbolicLink()) return { path, stats, fixed, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return "moved";
}

/** Without /proc: what the path names now. Two checks around each use leave a gap that a fast process can hit. */
async function pinByPath(path: string): Promise<Pin | "moved"> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink() || !(await isAt(path, stats))) return "moved";
  return { path, stats, fixed: path, close: async () => {} };
}

async function isAt(path: string, stats: Stats): Promise<boolean> {
  return (await realpath(path)) === path && isSameFile(await lstat(path), stats);
}
