/** Compares lines that a search printed with the open file. */

import { TextDecoder } from "node:util";
import type { OpenFile } from "../files/open-file.ts";

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** Longer lines are cut in the output. */
export const LINE_BYTES = 500;
/** What ripgrep prints in place of the rest of a long line. */
const CUT = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;

/** Printed lines of one file, by line number from 1. */
export type PrintedLines = ReadonlyMap<number, string>;

/** Returns the numbers of the printed lines that are in the file exactly as printed. */
export async function matchingLines(
  { handle }: OpenFile,
  printed: PrintedLines,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const check = new LineCheck(printed);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; !check.isDone; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) check.end();
    else check.feed(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
  return check.matching;
}

/** Same as `matchingLines`, for a file that is in memory. */
export function matchingIn(bytes: Buffer, printed: PrintedLines): ReadonlySet<number> {
  const check = new LineCheck(printed);
  check.feed(bytes);
  if (!check.isDone) check.end();
  return check.matching;
}

/** ripgrep transcodes UTF-16 to UTF-8 if the file begins with a byte order mark. */
function decoderOf(beginning: Buffer): TextDecoder | undefined {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return new TextDecoder("utf-16le");
  return beginning[0] === 0xfe && beginning[1] === 0xff ? new TextDecoder("utf-16be") : undefined;
}

class LineCheck {
  readonly matching = new Set<number>();
  readonly #printed: PrintedLines;
  readonly #last: number;
  #line = 1;
  /** Length of the current line so far, and as much of it as is needed to compare it. */
  #length = 0;
  #kept: Buffer[] = [];
  #isEnded = false;
  #isBegun = false;
  #decoder: TextDecoder | undefined;

  constructor(printed: PrintedLines) {
    this.#printed = printed;
    this.#last = Math.max(...printed.keys());
  }

  get isDone(): boolean {
    return this.#isEnded || this.#line > this.#last;
  }

  feed(part: Buffer): void {
    if (!this.#isBegun) this.#decoder = decoderOf(part);
    this.#isBegun = true;
    const bytes =
      this.#decoder === undefined ? part : Buffer.from(this.#decoder.decode(part, { stream: true }));
    for (let at = 0; at < bytes.length && !this.isDone; ) {
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline === -1 ? bytes.length : newline;
      this.#keep(bytes.subarray(at, end));
      if (newline === -1) return;
      this.#endLine();
      at = end + 1;
    }
  }

  end(): void {
    if (this.#length > 0) this.#endLine();
    this.#isEnded = true;
  }

  #keep(part: Buffer): void {
    const printed = this.#printed.get(this.#line);
    // A few bytes more than was printed are enough to see that the line continues.
    const room = printed === undefined ? 0 : Buffer.byteLength(printed) + 8 - this.#length;
    // Copied, because the caller reuses the buffer.
    if (room > 0) this.#kept.push(Buffer.from(part.subarray(0, room)));
    this.#length += part.length;
  }

  #endLine(): void {
    const printed = this.#printed.get(this.#line);
    if (printed !== undefined && isPrinted(printed, Buffer.concat(this.#kept).toString("utf8"), this.#length))
      this.matching.add(this.#line);
    this.#line++;
    this.#length = 0;
    this.#kept = [];
  }
}

function isPrinted(printed: string, line: string, length: number): boolean {
  const text = line.replace(/\r$/, "");
  // Whether the UTF-8 byte order mark is printed depends on how ripgrep read the file.
  if (text === printed || text.replace(/^\uFEFF/, "") === printed) return true;
  const cut = CUT.exec(printed);
  return cut !== null && length > LINE_BYTES && text.startsWith(printed.slice(0, cut.index));
}
