/**
 * Opens what a resolved path names and proves from the descriptor that it is there (C18). Another process can exchange
 * a folder for a link at any moment, so a check of the path before or after the open proves nothing.
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

/** A file or folder that stays the same one, whatever happens to its name. */
export interface Pin {
  readonly path: string;
  readonly stats: Stats;
  /** Leads to this very file or folder. Without /proc it is the path again, which another process can redirect. */
  readonly fixed: string;
  readonly isFixed: boolean;
  close(): void;
}

export type Doing = "read" | "written" | "searched";

const HAS_DESCRIPTORS = process.platform === "linux" && existsSync("/proc/self/fd");
/** Opens the name itself: needs no permission to read, does not wait for a pipe and has no effect on a device. */
const O_PATH = 0o10000000;
/** A file that is saved by renaming moves, too, and is there again at the next attempt. */
const ATTEMPTS = 3;

/**
 * Pins what is at a path that has its links resolved. Undefined: nothing is there. Throws if it keeps moving.
 * Synchronous, as resolving the path is: a few fast calls, where promises would take ten times as long.
 */
export function pin(path: string, doing: Doing): Pin | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = tryPin(path);
    if (found !== "moved") return found;
  }
  refuseCycle(path);
  throw movedRefusal(path, doing);
}

/** Runs a job on what is pinned, then lets go of it. Undefined: nothing is there. */
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

/** Opens what is pinned to read it. Without /proc it can be another file by now: then it throws. */
export async function openPinned({ path, stats, fixed, isFixed }: Pin, doing: Doing): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  if (isFixed) return open(fixed, flags);
  const handle = await open(path, flags | constants.O_NOFOLLOW);
  if (isSameFile(await handle.stat(), stats) && isAt(path, stats)) return handle;
  await handle.close();
  throw movedRefusal(path, doing);
}

export function movedRefusal(path: string, doing: Doing): Refusal {
  return new Refusal(`${path} moved while it was being opened; nothing was ${doing}. Try again.`);
}

export function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function tryPin(path: string): Pin | "moved" | undefined {
  try {
    return HAS_DESCRIPTORS ? pinByDescriptor(path) : pinByPath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    // The path has no links, so this says that one was put there.
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
    // The system says where the opened file is, also if a folder above it was a link in the moment of the open.
    if (readlinkSync(fixed) === path && !stats.isSymbolicLink())
      return { path, stats, fixed, isFixed: true, close };
  } catch (error) {
    close();
    throw error;
  }
  close();
  return "moved";
}

/** Without /proc: what the path names now. Checks around each use leave a gap that a fast process can hit. */
function pinByPath(path: string): Pin | "moved" {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink() || !isAt(path, stats)) return "moved";
  return { path, stats, fixed: path, isFixed: false, close: () => {} };
}

function isAt(path: string, stats: Stats): boolean {
  return realpathSync.native(path) === path && isSameFile(lstatSync(path), stats);
}

/** Links that lead in a circle have no resolved path, and another attempt does not help. */
function refuseCycle(path: string): void {
  try {
    realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) === "ELOOP") throw error;
  }
}
