/**
 * Opens a resolved path and verifies through the descriptor that it is the file at that path (C18). Another process can
 * replace a folder by a link at any moment, so checking the path before or after the open proves nothing.
 */

import {
  type Stats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Refusal, codeOf } from "../shared/refusal.ts";

/** An open file or folder that stays the same one, whatever happens to its name. */
export interface Pin {
  readonly path: string;
  readonly stats: Stats;
  /** A path to exactly this file or folder. Without /proc it is the original path, which another process can redirect. */
  readonly fixed: string;
  readonly isFixed: boolean;
  close(): void;
}

export type Doing = "read" | "written" | "searched";

const HAS_DESCRIPTORS = process.platform === "linux" && existsSync("/proc/self/fd");
/** Opens the name only: needs no read permission, does not block on a pipe and has no effect on a device. */
const O_PATH = 0o10000000;
/** A file that is being saved by a rename also moves, and the next attempt finds it again. */
const ATTEMPTS = 3;

/**
 * Pins the file or folder at a resolved path. Returns undefined if there is nothing; throws if it keeps moving.
 * Synchronous because these are a few fast calls that would take ten times as long with promises.
 */
export function pin(path: string, doing: Doing): Pin | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = tryPin(path);
    if (found !== "moved") return found;
  }
  refuseCycle(path);
  throw movedRefusal(path, doing);
}

/** Runs a job on a pinned file or folder, then releases it. Resolves with undefined if there is nothing. */
export async function withPin<Value>(
  path: string,
  doing: Doing,
  job: (pinned: Pin) => Promise<Value> | Value,
): Promise<Value | undefined> {
  const pinned = pin(path, doing);
  if (pinned === undefined) return undefined;
  try {
    return await job(pinned);
  } finally {
    pinned.close();
  }
}

/** Opens a pinned file for reading. Without /proc it throws if the path now leads to another file. */
export async function openPinned({ path, stats, fixed, isFixed }: Pin, doing: Doing): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  if (isFixed) return open(fixed, flags);
  const handle = await open(path, flags | constants.O_NOFOLLOW);
  if (isSameFile(await handle.stat(), stats) && isAt(path, stats)) return handle;
  await handle.close();
  throw movedRefusal(path, doing);
}

export function movedRefusal(path: string, doing: Doing): Refusal {
  return new Refusal(`${path} moved while it was being opened, so nothing was ${doing}. Try again.`);
}

export function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function tryPin(path: string): Pin | "moved" | undefined {
  try {
    return HAS_DESCRIPTORS ? pinByDescriptor(path) : pinByPath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    // The path was resolved, so a link was put there since.
    if (codeOf(error) === "ELOOP") return "moved";
    throw error;
  }
}

function pinByDescriptor(path: string): Pin | "moved" {
  const descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW);
  const fixed = `/proc/self/fd/${descriptor}`;
  const close = (): void => closeSync(descriptor);
  try {
    const stats = fstatSync(descriptor);
    // The kernel reports the real location, even if a folder above was a link at the moment of the open.
    if (readlinkSync(fixed) === path && !stats.isSymbolicLink())
      return { path, stats, fixed, isFixed: true, close };
  } catch (error) {
    close();
    throw error;
  }
  close();
  return "moved";
}

/** The fallback without /proc. Checks around each use leave a gap that a fast process can hit. */
function pinByPath(path: string): Pin | "moved" {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink() || !isAt(path, stats)) return "moved";
  return { path, stats, fixed: path, isFixed: false, close: () => {} };
}

function isAt(path: string, stats: Stats): boolean {
  return realpathSync.native(path) === path && isSameFile(lstatSync(path), stats);
}

/** A cycle of links cannot be resolved, so retrying does not help. */
function refuseCycle(path: string): void {
  try {
    realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === "ELOOP") throw error;
  }
}
