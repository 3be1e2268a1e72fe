/** Text that may be longer than there is room for: which rows of it are shown, and which have been. */

import { hardWrap } from "./wrap.ts";

interface Layout {
  readonly width: number;
  readonly rows: readonly string[];
  /** Behind the last row of each line. */
  readonly ends: readonly number[];
}

export class ScrollText {
  readonly #lines: readonly string[];
  readonly #mustRead: number;
  #layout: Layout = { width: 0, rows: [], ends: [] };
  #top = 0;
  #room = 0;
  /** All rows before this one have been on the screen. */
  #seen = 0;

  /** Of these lines the first `mustRead` have to be seen. */
  constructor(lines: readonly string[], mustRead: number) {
    this.#lines = lines;
    this.#mustRead = mustRead;
  }

  rowsAt(width: number): number {
    this.#layOut(width);
    return this.#layout.rows.length;
  }

  /** What is on the screen now. */
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

  /** Whether everything that must be read was on the screen; nothing that was skipped was. */
  get isRead(): boolean {
    return this.#seen >= (this.#layout.ends[this.#mustRead - 1] ?? 0);
  }

  /** `12–30 of 214 lines`. */
  get position(): string {
    const { length } = this.#layout.rows;
    return `${this.#top + 1}–${Math.min(length, this.#top + this.#room)} of ${length} lines`;
  }

  /** At another width, lines that were seen to their end stay seen. */
  #layOut(width: number): void {
    if (width === this.#layout.width) return;
    const seenLines = this.#layout.ends.filter((end) => end <= this.#seen).length;
    const rows: string[] = [];
    const ends = this.#lines.map((line) => rows.push(...indented(line, width)));
    this.#layout = { width, rows, ends };
    this.#seen = seenLines === 0 ? 0 : (ends[seenLines - 1] ?? 0);
  }
}

const LEAST_INDENTED = 10;

/** What is broken goes on further in, so that it does not look like a line of its own. */
function indented(line: string, width: number): string[] {
  const text = line.trimStart();
  const indent = line.length - text.length;
  if (indent === 0 || width < LEAST_INDENTED) return hardWrap(line, width);
  const parts = hardWrap(text, width - 2 * indent);
  return parts.map((part, at) => `${" ".repeat(at === 0 ? indent : 2 * indent)}${part}`);
}
