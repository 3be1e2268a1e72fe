/** Reads a journal in chunks: forwards by line, and backwards to the last compaction. */

import type { FileHandle } from "node:fs/promises";

const PIECE_BYTES = 1 << 18;
const NEWLINE = 0x0a;
/** Longer lines are not written by us and are skipped without buffering them. */
export const LINE_BYTES = 1 << 26;
const COMPACTED = Buffer.from('\n{"type":"compacted"');

/** A line without its newline. Valid only until the next line is read: copy what you keep. */
export interface RawLine {
  readonly bytes: Buffer;
  /** False only for a last line without a newline. */
  readonly hasEnd: boolean;
  /** It exceeded the limit, so `bytes` has only its beginning. */
  readonly isTooLong: boolean;
}

export type TakeLine = (line: RawLine) => void;

/** Passes on every line of the range, including empty ones. */
export async function readLines(
  handle: FileHandle,
  { from, to }: { from: number; to: number },
  take: TakeLine,
): Promise<void> {
  const rest = new UnfinishedLine();
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let position = from; position < to; ) {
    const { bytesRead } = await handle.read(piece, 0, Math.min(PIECE_BYTES, to - position), position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = piece.subarray(0, bytesRead);
    let start = 0;
    for (let end = read.indexOf(NEWLINE); end >= 0; end = read.indexOf(NEWLINE, start)) {
      take(rest.finish(read.subarray(start, end), true));
      start = end + 1;
    }
    rest.add(read.subarray(start));
  }
  if (rest.length > 0) take(rest.finish(piece.subarray(0, 0), false));
}

/** The beginning of a line that ends in a later chunk. */
class UnfinishedLine {
  length = 0;
  #parts: Buffer[] = [];

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.length += bytes.length;
    if (this.length <= LINE_BYTES) this.#parts.push(Buffer.from(bytes));
    // The beginning is enough to report the line.
    else this.#parts.length = Math.min(1, this.#parts.length);
  }

  finish(last: Buffer, hasEnd: boolean): RawLine {
    const isTooLong = this.length + last.length > LINE_BYTES;
    const bytes = this.length === 0 ? last : Buffer.concat(isTooLong ? this.#parts : [...this.#parts, last]);
    this.length = 0;
    this.#parts = [];
    return { bytes, hasEnd, isTooLong };
  }
}

/** Returns where the last compaction before this position starts; 0 if there is none. */
export async function lastCompaction(handle: FileHandle, before: number): Promise<number> {
  const overlap = COMPACTED.length - 1;
  const piece = Buffer.allocUnsafe((1 << 20) + overlap);
  for (let end = before; end > 0; ) {
    const start = Math.max(0, end - (1 << 20));
    // Overlap with the previous chunk, because the marker can cross the boundary.
    const length = Math.min(before, end + overlap) - start;
    const { bytesRead } = await handle.read(piece, 0, length, start);
    const found = piece.subarray(0, bytesRead).lastIndexOf(COMPACTED);
    if (found >= 0) return start + found + 1;
    end = start;
  }
  return 0;
}

/** Counts the lines that end before this position. */
export async function linesBefore(handle: FileHandle, position: number): Promise<number> {
  let count = 0;
  await readLines(handle, { from: 0, to: position }, () => void count++);
  return count;
}

/** Reads the first bytes of a file; they can end in the middle of a line. */
export async function readHead(handle: FileHandle, bytes: number): Promise<Buffer> {
  const head = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await handle.read(head, 0, bytes, 0);
  return head.subarray(0, bytesRead);
}

/** Returns the position after the last newline. */
export async function endOfLines(handle: FileHandle, size: number): Promise<number> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - PIECE_BYTES);
    const { bytesRead } = await handle.read(piece, 0, end - start, start);
    const found = piece.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (found >= 0) return start + found + 1;
    end = start;
  }
  return 0;
}
