/** Opens a file to read it: only a regular one, never waiting for it, and only if it is the one that was meant. */

import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink } from "node:fs/promises";
import { Refusal, codeOf, fileFailure } from "./refusal.ts";

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Larger files are read in parts, and not edited. */
export const WHOLE_BYTES = 16 * 1024 * 1024;

const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** `path` has its links resolved. Gives undefined where nothing is there. */
async function openFile(path: string): Promise<OpenFile | undefined> {
  try {
    const before = await lstat(path);
    refuseKind(path, before);
    const handle = await open(path, FLAGS);
    try {
      const stats = await handle.stat();
      refuseKind(path, stats);
      if (stats.ino !== before.ino || stats.dev !== before.dev || !(await isAt(handle, path)))
        throw new Refusal(`${path} was replaced while it was being opened. Try again.`);
      return { handle, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw fileFailure(error, `read ${path}`);
  }
}

/** Runs a job on an open file and closes it, whatever comes of it. */
export async function withFile<Value>(
  path: string,
  job: (file: OpenFile) => Promise<Value>,
): Promise<Value | undefined> {
  const file = await openFile(path);
  if (file === undefined) return undefined;
  try {
    return await job(file);
  } catch (error) {
    throw fileFailure(error, `read ${path}`);
  } finally {
    await file.handle.close();
  }
}

function refuseKind(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory())
    throw new Refusal(`${path} is a directory. List its files with Glob: pattern "*", path "${path}".`);
  if (stats.isSymbolicLink()) throw new Refusal(`${path} has become a link. Try again.`);
  throw new Refusal(`${path} is ${kindOf(stats)}, not a file: it may never end, so it is not read.`);
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isBlockDevice() || stats.isCharacterDevice() ? "a device" : "something unknown";
}

/** Where the system can tell: whether what was opened really is at this path, whatever was swapped above it. */
export async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  try {
    return process.platform !== "linux" || (await readlink(`/proc/self/fd/${handle.fd}`)) === path;
  } catch {
    return true;
  }
}

export type Whole =
  | { readonly type: "whole"; readonly bytes: Buffer }
  | { readonly type: "too-large"; readonly size: number };

/** The size that a file says of itself need not be true: files of /proc say 0. */
export async function readWhole(
  { handle, stats }: OpenFile,
  signal: AbortSignal,
  maxBytes = WHOLE_BYTES,
): Promise<Whole> {
  if (stats.size > maxBytes) return { type: "too-large", size: stats.size };
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    signal.throwIfAborted();
    const part = Buffer.allocUnsafe(Math.max(stats.size + 1 - length, 65_536));
    const { bytesRead } = await handle.read(part, 0, part.length, length);
    if (bytesRead === 0) return { type: "whole", bytes: Buffer.concat(parts, length) };
    parts.push(part.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) return { type: "too-large", size: Math.max(length, stats.size) };
  }
}
