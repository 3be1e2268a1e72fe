/** Splits a stream of bytes into lines and keeps only the requested page. */

import { isUtf8 } from "node:buffer";
import type { LinePoint } from "./agent-files.ts";

/** Longer lines are cut. */
export const LINE_CHARS = 2_000;
/**
 * Limit of one page in UTF-8, about 25,000 tokens; the next call continues after it. Bytes are a better measure than
 * characters: a token is about three bytes of most scripts.
 */
const PAGE_BYTES = 80_000;
/** Enough bytes for the shown characters in any encoding. */
const KEPT_BYTES = LINE_CHARS * 4 + 4;
const NEWLINE = 0x0a;

export interface Wish {
  /** The number of the first line, from 1. */
  readonly offset: number;
  readonly limit: number;
}

export class LinePage {
  readonly lines: string[] = [];
  /** How many lines were cut. */
  cut = 0;
  hasInvalid = false;
  hasNul = false;
  readonly #wish: Wish;
  #bytes = 0;
  /** The current line and the position of the next byte. */
  #line: number;
  #byte: number;
  #lineByte: number;
  #isInside: boolean;
  /** The start of the current line, if it is on the page. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** The position after the page. */
  #after: LinePoint | undefined;

  constructor(wish: Wish, from: LinePoint) {
    this.#wish = wish;
    this.#line = from.line;
    this.#byte = from.byte;
    this.#lineByte = from.byte;
    this.#isInside = from.isInside;
  }

  get isFull(): boolean {
    return this.lines.length >= this.#wish.limit || this.#bytes >= PAGE_BYTES;
  }

  /** The first line of the next page. */
  get nextLine(): number {
    return this.#wish.offset + this.lines.length;
  }

  /** The line that the scan has reached. */
  get line(): number {
    return this.#line;
  }

  /** Where a later scan can continue: after the page, or where this one stopped. */
  get point(): LinePoint {
    if (this.#after !== undefined) return this.#after;
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

  /** Call at the end of the file, with or without a final newline. */
  end(): void {
    if (this.#byte > this.#lineByte) this.#endLine();
  }

  /** Call when the scan stops early: the part of the current line that was read is shown. */
  stop(): void {
    if (this.#isWanted && this.#keptBytes > 0) this.#show(true);
  }

  get #isWanted(): boolean {
    return this.#line >= this.#wish.offset && !this.isFull;
  }

  #keep(part: Buffer): void {
    const room = KEPT_BYTES - this.#keptBytes;
    if (room <= 0) return;
    // Copied, because the caller reuses the buffer.
    const copy = Buffer.from(part.subarray(0, room));
    this.#kept.push(copy);
    this.#keptBytes += copy.length;
  }

  #endLine(): void {
    if (this.#isWanted) this.#show(false);
    this.#line++;
    this.#lineByte = this.#byte;
    this.#isInside = false;
    if (this.isFull) this.#after ??= { line: this.#line, byte: this.#byte, isInside: false };
  }

  #show(isPartial: boolean): void {
    const bytes = Buffer.concat(this.#kept);
    const isWhole = bytes.length < KEPT_BYTES && !isPartial;
    this.#kept = [];
    this.#keptBytes = 0;
    if (isWhole && !isUtf8(bytes)) this.hasInvalid = true;
    const text = bytes.toString("utf8").replace(/\r$/, "");
    if (text.includes("\0")) this.hasNul = true;
    const shown = this.#cut(text.replaceAll("\0", "␀"), isWhole);
    this.#bytes += Buffer.byteLength(shown);
    this.lines.push(shown);
  }

  #cut(text: string, isWhole: boolean): string {
    if (isWhole && text.length <= LINE_CHARS) return text;
    this.cut++;
    // Do not split a surrogate pair.
    const end = /[\uD800-\uDBFF]/.test(text[LINE_CHARS - 1] ?? "") ? LINE_CHARS - 1 : LINE_CHARS;
    return `${text.slice(0, end)}… [line cut here]`;
  }
}
