/** Lines of a file out of its bytes, piece by piece: what is kept is the page that was asked for, and nothing else. */

import { isUtf8 } from "node:buffer";
import type { LinePoint } from "./file-memory.ts";

/** Of a line so many characters are shown. */
export const LINE_CHARS = 2_000;
/** Of a page so many; the rest is for the next call. */
const PAGE_CHARS = 80_000;
/** Enough for the characters that are shown, whatever they are. */
const KEPT_BYTES = LINE_CHARS * 4 + 4;
const NEWLINE = 0x0a;

export interface Wish {
  /** The number of the first line, from 1. */
  readonly offset: number;
  readonly limit: number;
}

export class LinePage {
  readonly lines: string[] = [];
  /** Lines of which only the beginning is shown. */
  cut = 0;
  hasInvalid = false;
  hasNul = false;
  readonly #wish: Wish;
  #chars = 0;
  /** Where the current line is, and where the next byte is. */
  #line: number;
  #byte: number;
  #lineByte: number;
  #isInside: boolean;
  /** The beginning of the current line, if it is wanted. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Where the page ended. */
  #behind: LinePoint | undefined;

  constructor(wish: Wish, from: LinePoint) {
    this.#wish = wish;
    this.#line = from.line;
    this.#byte = from.byte;
    this.#lineByte = from.byte;
    this.#isInside = from.isInside;
  }

  get isFull(): boolean {
    return this.lines.length >= this.#wish.limit || this.#chars >= PAGE_CHARS;
  }

  /** The line that the next page begins with. */
  get nextLine(): number {
    return this.#wish.offset + this.lines.length;
  }

  /** The line that was being scanned when the bytes ended. */
  get line(): number {
    return this.#line;
  }

  /** Where a later scan can go on: behind the page, or where this one stopped. */
  get point(): LinePoint {
    if (this.#behind !== undefined) return this.#behind;
    return { line: this.#line, byte: this.#byte, isInside: this.#isInside || this.#byte > this.#lineByte };
  }

  feed(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline === -1 ? bytes.length : newline;
      if (this.#isWanted && end > at) this.#keep(bytes.subarray(at, end));
      this.#byte += (newline === -1 ? end : end + 1) - at;
      if (newline === -1) return;
      this.#endLine();
      at = end + 1;
    }
  }

  /** The bytes have ended, with or without a last newline. */
  end(): void {
    if (this.#byte > this.#lineByte) this.#endLine();
  }

  /** The bytes go on, but nobody reads them: what there is of the line is shown. */
  stop(): void {
    if (this.#isWanted && this.#keptBytes > 0) this.#show(true);
  }

  get #isWanted(): boolean {
    return this.#line >= this.#wish.offset && !this.isFull;
  }

  #keep(part: Buffer): void {
    const room = KEPT_BYTES - this.#keptBytes;
    if (room <= 0) return;
    // A copy, since the bytes may be overwritten by the next ones.
    const copy = Buffer.from(part.subarray(0, room));
    this.#kept.push(copy);
    this.#keptBytes += copy.length;
  }

  #endLine(): void {
    if (this.#isWanted) this.#show(false);
    this.#line++;
    this.#lineByte = this.#byte;
    this.#isInside = false;
    if (this.isFull) this.#behind ??= { line: this.#line, byte: this.#byte, isInside: false };
  }

  #show(goesOn: boolean): void {
    const bytes = Buffer.concat(this.#kept);
    const isWhole = bytes.length < KEPT_BYTES && !goesOn;
    this.#kept = [];
    this.#keptBytes = 0;
    if (isWhole && !isUtf8(bytes)) this.hasInvalid = true;
    const text = bytes.toString("utf8").replace(/\r$/, "");
    if (text.includes("\0")) this.hasNul = true;
    const shown = this.#cut(text.replaceAll("\0", "␀"), isWhole);
    this.#chars += shown.length;
    this.lines.push(shown);
  }

  #cut(text: string, isWhole: boolean): string {
    if (isWhole && text.length <= LINE_CHARS) return text;
    this.cut++;
    // Not between the halves of a pair.
    const end = /[\uD800-\uDBFF]/.test(text[LINE_CHARS - 1] ?? "") ? LINE_CHARS - 1 : LINE_CHARS;
    return `${text.slice(0, end)}… [line cut here]`;
  }
}
