/**
 * The lines at the bottom of the terminal that are redrawn. Finished lines are printed above them once. The scrollback
 * is never cleared and never rewritten.
 */

import { CURSOR_MARKER, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { imageBytes, isImageLine } from "./images.ts";
import { lineChange } from "./line-change.ts";
import { type Shift, rowShift } from "./row-shift.ts";
import { withLinks } from "./links.ts";
import { onlyOwnStyles } from "./style.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Frame {
  /** Finished lines, printed once. */
  readonly above: readonly string[];
  readonly live: readonly string[];
}

/**
 * Synchronised output without wrapping: the terminal cuts a line that is wider than expected. If it wrapped, everything
 * below would be drawn on the wrong rows.
 */
const BEGIN = "\u001b[?2026h\u001b[?7l";
const END = "\u001b[?7h\u001b[?2026l";
/**
 * From the first column. Clears from the second column on and then the line: tmux moves the whole screen into the
 * scrollback when it is cleared from its first cell.
 */
const CLEAR_DOWN = "\u001b[C\u001b[J\r\u001b[2K";

const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "");
const down = (rows: number): string => (rows > 0 ? `\u001b[${rows}B` : "");

/** How a terminal differs from most. */
export interface Quirks {
  /**
   * When it becomes narrower, it moves the cursor down with the lines below the cursor that it wraps. xterm.js does;
   * other terminals keep the cursor on its text.
   */
  readonly movesCursor?: boolean;
}

/**
 * Between two frames the cursor is at the start of the region. A terminal that becomes lower then drops rows below the
 * cursor, which are drawn again, before it pushes rows above the cursor into the scrollback.
 */
export class LiveRegion {
  #quirks: Quirks;
  #lines: readonly string[] = [];
  #size: Size = { columns: 0, rows: 0 };

  constructor(quirks: Quirks = {}) {
    this.#quirks = quirks;
  }

  /** The terminal has said what it is. */
  set quirks(quirks: Quirks) {
    this.#quirks = quirks;
  }

  /** Returns what to write so that the terminal shows this frame, or an empty string if nothing changed. */
  draw(frame: Frame, size: Size): string {
    // A frame that is higher than the screen keeps its end, where the input line is.
    const shown = frame.live.slice(-Math.max(1, size.rows - 1));
    const live = shown.map((line) => (isImageLine(line) ? "" : fit(line, size.columns)));
    const above = frame.above.map((line) => imageBytes(line) ?? `${fit(line, size.columns)}\r\n`);
    const isSame = size.columns === this.#size.columns && size.rows === this.#size.rows;
    const bytes = above.length > 0 || !isSame ? this.#whole(above, live, size) : this.#changes(live);
    this.#lines = live;
    this.#size = size;
    return bytes === "" ? "" : `${BEGIN}${bytes}${END}`;
  }

  /** Returns what to write so that the cursor is on an empty line below the region. */
  leave(): string {
    const { length } = this.#lines;
    this.#lines = [];
    return length === 0 ? "" : `${down(length - 1)}\r\n`;
  }

  /** Returns what to write so that the region is gone. The next frame draws it again. */
  erase(): string {
    const isEmpty = this.#lines.length === 0;
    this.#lines = [];
    return isEmpty ? "" : `\r${CLEAR_DOWN}`;
  }

  #whole(above: readonly string[], live: readonly string[], size: Size): string {
    const finished = above.join("");
    const back = `${up(live.length - 1)}\r`;
    return `\r${up(this.#movedDown(size))}${CLEAR_DOWN}${finished}${live.join("\r\n")}${back}`;
  }

  /** How many rows the terminal moved the cursor down when its size changed. */
  #movedDown({ columns, rows }: Size): number {
    if (this.#quirks.movesCursor !== true || columns >= this.#size.columns) return 0;
    const dropped = Math.max(0, this.#size.rows - rows);
    const kept = this.#lines.slice(0, Math.max(1, this.#lines.length - dropped));
    // It wraps from the last line to the first, and leaves out the line that the cursor is on at that moment.
    const moved = kept.reduceRight((row, line, at) => {
      const added = Math.ceil(visibleWidth(line) / columns) - 1;
      return added > 0 && row !== at ? row + added : row;
    }, 0);
    return Math.min(rows - 1, moved);
  }

  #changes(live: readonly string[]): string {
    const shift = rowShift(this.#lines, live);
    const before = shift?.rows ?? this.#lines;
    const height = Math.max(1, before.length);
    let row = shift?.at ?? 0;
    let bytes = shift === undefined ? "" : this.#move(shift);
    const move = (to: number): void => {
      bytes += to < height ? `${up(row - to)}${down(to - row)}\r` : `${down(height - 1 - row)}\r\n`;
      row = to;
    };
    live.forEach((line, at) => {
      if (line === before[at]) return;
      move(at);
      bytes += lineChange(before[at], line);
    });
    if (live.length < before.length) {
      move(live.length);
      bytes += CLEAR_DOWN;
    }
    return bytes === "" ? "" : `${bytes}${up(row)}\r`;
  }

  /** Lets the terminal move the rows from a row on. New rows are made below the region first, so that none is lost. */
  #move({ at, by }: Shift): string {
    if (by < 0) return `${down(at)}\r\u001b[${-by}M`;
    const last = Math.max(0, this.#lines.length - 1);
    return `${down(last)}${"\r\n".repeat(by)}${up(last + by - at)}\r\u001b[${by}L`;
  }
}

/** Cuts a line at the width of the screen and drops foreign escape sequences. */
export function fit(line: string, columns: number): string {
  const shown = withLinks(onlyOwnStyles(line.replaceAll(CURSOR_MARKER, "").trimEnd()), columns);
  return visibleWidth(shown) > columns ? `${truncateToWidth(shown, columns, "")}\u001b[0m` : shown;
}
