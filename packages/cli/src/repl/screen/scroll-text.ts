/** Scrollable text that remembers which rows have been shown. */

import { hangingWrap } from "./rows.ts";

interface Layout {
  readonly width: number;
  readonly rows: readonly string[];
  /** The row after the last row of each line. */
  readonly ends: readonly number[];
}

export class ScrollText {
  readonly #lines: readonly string[];
  readonly #mustRead: number;
  #layout: Layout = { width: 0, rows: [], ends: [] };
  #top = 0;
  #room = 0;
  /** All rows before this one have been shown. */
  #seen = 0;

  /** The first `mustRead` lines have to be shown. */
  constructor(lines: readonly string[], mustRead: number) {
    this.#lines = lines;
    this.#mustRead = mustRead;
  }

  rowsAt(width: number): number {
    this.#layOut(width);
    return this.#layout.rows.length;
  }

  /** Returns the visible rows and records them as shown. */
  show(width: number, room: number): readonly string[] {
    this.#layOut(width);
    this.#room = Math.max(0, room);
    this.#top = Math.max(0, Math.min(this.#top, this.#layout.rows.length - this.#room));
    if (this.#top <= this.#seen) this.#seen = Math.max(this.#seen, this.#top + this.#room);
    return this.#layout.rows.slice(this.#top, this.#top + this.#room);
  }

  scroll(rows: number): void {
    this.#top += rows;
  }

  page(pages: number): void {
    this.scroll(pages * Math.max(1, this.#room));
  }

  get isAtTop(): boolean {
    return this.#top <= 0;
  }

  get isAtEnd(): boolean {
    return this.#top + this.#room >= this.#layout.rows.length;
  }

  /** Whether every row that must be read was shown. Skipped rows do not count. */
  get isRead(): boolean {
    return this.#seen >= (this.#layout.ends[this.#mustRead - 1] ?? 0);
  }

  /** `12–30 of 214 lines`. */
  get position(): string {
    const { length } = this.#layout.rows;
    return `${this.#top + 1}–${Math.min(length, this.#top + this.#room)} of ${length} lines`;
  }

  /** Lays out the lines for a width. Lines that were shown completely stay shown. */
  #layOut(width: number): void {
    if (width === this.#layout.width) return;
    const seenLines = this.#layout.ends.filter((end) => end <= this.#seen).length;
    const rows: string[] = [];
    const ends = this.#lines.map((line) => rows.push(...hangingWrap(line, width)));
    this.#layout = { width, rows, ends };
    this.#seen = seenLines === 0 ? 0 : (ends[seenLines - 1] ?? 0);
  }
}
