/** Reads lines of a journal by their position, which is an offset in bytes. */

import { type FileHandle, truncate } from "node:fs/promises";
import { codeOf } from "@runahead/base";
import { openToRead } from "./files.ts";
import { endOfLines } from "./read.ts";
import type { StoredLine } from "./store.ts";

const PAGE_BYTES = 1 << 18;
const NEWLINE = 0x0a;

/** The size of the file; 0 if it does not exist. */
export async function endOf(path: string): Promise<number> {
  return whileThere(0, () => reading(path, async (_handle, size) => size));
}

/** Opens the file, and closes it in any case. */
export async function reading<Value>(
  path: string,
  read: (handle: FileHandle, size: number) => Promise<Value>,
): Promise<Value> {
  const { handle, size } = await openToRead(path);
  try {
    return await read(handle, size);
  } finally {
    await handle.close();
  }
}

/** Whether the file has these bytes at this place. */
export async function holds(path: string, at: number, bytes: Buffer): Promise<boolean> {
  return reading(path, async (handle) => {
    const found = Buffer.alloc(bytes.length);
    await handle.read(found, 0, bytes.length, at);
    return found.equals(bytes);
  });
}

/** A line without its newline was never reported as stored. */
export async function cutTornLine(path: string): Promise<void> {
  await whileThere(undefined, async () => {
    const end = await reading(path, endOfLines);
    if (end < (await endOf(path))) await truncate(path, end);
  });
}

/** Returns lines from this place on: some, if there are any. */
export async function readPage(path: string, from: number): Promise<readonly StoredLine[]> {
  return reading(path, async (handle, size) => {
    for (let bytes = PAGE_BYTES; ; bytes *= 4) {
      const piece = Buffer.alloc(Math.max(0, Math.min(bytes, size - from)));
      const { bytesRead } = await handle.read(piece, 0, piece.length, from);
      const lines = linesIn(piece.subarray(0, bytesRead), from);
      if (lines.length > 0 || from + bytesRead >= size) return lines;
    }
  });
}

function linesIn(piece: Buffer, from: number): StoredLine[] {
  const lines: StoredLine[] = [];
  for (let start = 0; ; ) {
    const end = piece.indexOf(NEWLINE, start);
    if (end < 0) return lines;
    lines.push({ line: piece.toString("utf8", start, end), next: from + end + 1 });
    start = end + 1;
  }
}

/** Returns `otherwise` if the file does not exist. */
export async function whileThere<Value>(otherwise: Value, work: () => Promise<Value>): Promise<Value> {
  return work().catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return otherwise;
    throw error;
  });
}
