/** Reads a journal in pieces: forwards by lines, and backwards to where the history that counts begins. */

import type { FileHandle } from "node:fs/promises";

const PIECE_BYTES = 1 << 18;
const NEWLINE = 0x0a;
/** A line above this is not an entry of ours, and is passed over without being kept. */
export const LINE_BYTES = 1 << 26;
const COMPACTED = Buffer.from('\n{"type":"compacted"');

/** A line without its end. Valid until the next one: copy what is to be kept. */
export interface RawLine {
  readonly bytes: Buffer;
  /** The last one may have no end. */
  readonly hasEnd: boolean;
  /** It was too long to be kept, so its bytes are only its beginning. */
  readonly isTooLong: boolean;
}

export type TakeLine = (line: RawLine) => void;

/** Every line from here on, empty ones too. */
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

/** The beginning of a line whose end is in a later piece. */
class UnfinishedLine {
  length = 0;
  #parts: Buffer[] = [];

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.length += bytes.length;
    if (this.length <= LINE_BYTES) this.#parts.push(Buffer.from(bytes));
    // The beginning is enough to say that it was there.
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

/** Where the last compaction before this position begins; 0 where there is none, so all of it counts. */
export async function lastCompaction(handle: FileHandle, before: number): Promise<number> {
  const overlap = COMPACTED.length - 1;
  const piece = Buffer.allocUnsafe((1 << 20) + overlap);
  for (let end = before; end > 0; ) {
    const start = Math.max(0, end - (1 << 20));
    // A little of what was looked at before, as the words may lie across the border.
    const length = Math.min(before, end + overlap) - start;
    const { bytesRead } = await handle.read(piece, 0, length, start);
    const found = piece.subarray(0, bytesRead).lastIndexOf(COMPACTED);
    if (found >= 0) return start + found + 1;
    end = start;
  }
  return 0;
}

/** The first bytes of a file, whole lines or not. */
export async function readHead(handle: FileHandle, bytes: number): Promise<Buffer> {
  const head = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await handle.read(head, 0, bytes, 0);
  return head.subarray(0, bytesRead);
}

/** Where the last line that has an end ends. */
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
