/** Lines that a search printed, compared with the open file that they must come from. */

import { TextDecoder } from "node:util";
import type { OpenFile } from "../files/open-file.ts";

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** Of a line that is longer than this only the beginning is printed. */
export const LINE_BYTES = 500;
/** What ripgrep puts in the place of the rest of a long line. */
const CUT = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;

/** The lines that a search printed of one file, by their numbers from 1. */
export type PrintedLines = ReadonlyMap<number, string>;

/** The numbers of those lines that stand in the file as they were printed. */
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

/** The same of a file whose bytes are all there. */
export function matchingIn(bytes: Buffer, printed: PrintedLines): ReadonlySet<number> {
  const check = new LineCheck(printed);
  check.feed(bytes);
  if (!check.isDone) check.end();
  return check.matching;
}

/** ripgrep searches UTF-16 as UTF-8 if the file begins with a mark. */
function decoderOf(beginning: Buffer): TextDecoder | undefined {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return new TextDecoder("utf-16le");
  return beginning[0] === 0xfe && beginning[1] === 0xff ? new TextDecoder("utf-16be") : undefined;
}

class LineCheck {
  readonly matching = new Set<number>();
  readonly #printed: PrintedLines;
  readonly #last: number;
  #line = 1;
  /** Of the current line: its length so far, and as much of it as is needed to compare it. */
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
    // One more character than was printed is enough to see that the line goes on.
    const room = printed === undefined ? 0 : Buffer.byteLength(printed) + 8 - this.#length;
    // A copy, since the next bytes are read into the same place.
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
  // The mark of UTF-8 is printed or not, depending on how the file was read.
  if (text === printed || text.replace(/^\uFEFF/, "") === printed) return true;
  const cut = CUT.exec(printed);
  return cut !== null && length > LINE_BYTES && text.startsWith(printed.slice(0, cut.index));
}
