/** Opens a file for reading: only a regular file, without blocking, and only the one that permission was granted for. */

import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openPinned, withPin } from "./pin.ts";
import { Refusal, fileFailure } from "../shared/refusal.ts";

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** Larger files are read in parts and cannot be edited. */
export const WHOLE_BYTES = 16 * 1024 * 1024;

/** Runs a job on an open file and closes it. The path must be resolved. Resolves with undefined if there is no file. */
export async function withFile<Value>(
  path: string,
  job: (file: OpenFile) => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await withPin(path, "read", async (pinned) => {
      refuseKind(path, pinned.stats);
      const handle = await openPinned(pinned, "read");
      try {
        return await job({ handle, stats: pinned.stats });
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    throw fileFailure(error, `read ${path}`);
  }
}

function refuseKind(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  if (stats.isDirectory())
    throw new Refusal(`${path} is a directory. List its files with Glob: pattern "*", path "${path}".`);
  throw new Refusal(
    `${path} is ${kindOf(stats)}, not a regular file: reading or writing it might never end.`,
  );
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isBlockDevice() || stats.isCharacterDevice() ? "a device" : "of an unknown type";
}

export type Whole =
  | { readonly type: "whole"; readonly bytes: Buffer }
  | { readonly type: "too-large"; readonly size: number };

/** The reported size is not reliable: files in /proc report 0. */
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
