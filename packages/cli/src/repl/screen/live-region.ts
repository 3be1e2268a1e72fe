/**
 * The lines at the bottom of the terminal that are redrawn. Finished lines are printed above them once. The scrollback
 * is never cleared and never rewritten.
 */

import { CURSOR_MARKER, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
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
const CLEAR_DOWN = "\u001b[J";
const CLEAR_LINE = "\u001b[2K";

const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "");
const down = (rows: number): string => (rows > 0 ? `\u001b[${rows}B` : "");

export class LiveRegion {
  #lines: readonly string[] = [];
  #size: Size = { columns: 0, rows: 0 };

  /** Returns what to write so that the terminal shows this frame, or an empty string if nothing changed. */
  draw(frame: Frame, size: Size): string {
    // A frame that is higher than the screen keeps its end, where the input line is. The cursor stays on an empty line
    // below it, because terminals differ in how they wrap the cursor's line when they become narrower.
    const shown = size.rows > 1 ? [...frame.live.slice(1 - size.rows), ""] : frame.live.slice(-1);
    const live = shown.map((line) => fit(line, size.columns));
    const above = frame.above.map((line) => fit(line, size.columns));
    const isSame = size.columns === this.#size.columns && size.rows === this.#size.rows;
    const bytes = above.length > 0 || !isSame ? this.#whole(above, live, size) : this.#changes(live);
    this.#lines = live;
    this.#size = size;
    return bytes === "" ? "" : `${BEGIN}${bytes}${END}`;
  }

  #whole(above: readonly string[], live: readonly string[], size: Size): string {
    const finished = above.map((line) => `${line}\r\n`).join("");
    return `\r${up(this.#rowsAbove(size))}${CLEAR_DOWN}${finished}${live.join("\r\n")}`;
  }

  /**
   * How many rows above the cursor the region starts. A terminal that became narrower has wrapped its lines. Rows that
   * this pushed off the screen stay in the scrollback.
   */
  #rowsAbove({ columns, rows }: Size): number {
    const heights = this.#lines.map((line) => Math.max(1, Math.ceil(visibleWidth(line) / columns)));
    return Math.min(rows - 1, Math.max(0, heights.reduce((sum, height) => sum + height, 0) - 1));
  }

  #changes(live: readonly string[]): string {
    const height = Math.max(1, this.#lines.length);
    let row = height - 1;
    let bytes = "";
    const move = (to: number): void => {
      bytes += to < height ? `${up(row - to)}${down(to - row)}\r` : `${down(height - 1 - row)}\r\n`;
      row = to;
    };
    live.forEach((line, at) => {
      if (line === this.#lines[at]) return;
      move(at);
      bytes += `${CLEAR_LINE}${line}`;
    });
    if (live.length < this.#lines.length) {
      move(live.length);
      bytes += CLEAR_DOWN;
    }
    if (row !== live.length - 1) bytes += `${up(row - live.length + 1)}${down(live.length - 1 - row)}\r`;
    return bytes;
  }
}

/** Cuts a line at the width of the screen and drops foreign escape sequences. */
export function fit(line: string, columns: number): string {
  const shown = onlyOwnStyles(line.replaceAll(CURSOR_MARKER, ""));
  return visibleWidth(shown) > columns ? `${truncateToWidth(shown, columns, "")}\u001b[0m` : shown;
}
