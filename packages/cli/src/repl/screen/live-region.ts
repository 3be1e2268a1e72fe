/**
 * The lines at the bottom of the terminal that are redrawn. What is finished is printed above them once and belongs to
 * the terminal from then on: scrollback is never cleared, and never written again.
 */

import { CURSOR_MARKER, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { onlyOwnStyles } from "./style.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Frame {
  /** Finished: printed once. */
  readonly above: readonly string[];
  readonly live: readonly string[];
}

/**
 * Drawn at once, and without wrapping: a line that is wider than it was counted to be is cut by the terminal. If it went
 * on in the next row, everything below would be drawn over the wrong rows.
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

  /** What to write so that the terminal shows this frame; empty where nothing has changed. */
  draw(frame: Frame, size: Size): string {
    // One that is higher than the screen keeps its end, which is where one types. Below it is an empty line for the
    // cursor: terminals differ in how they break the line that it stands on when they become narrower.
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
   * How far above the cursor the region begins. A terminal that has become narrower has broken its lines; what that
   * has pushed off the screen stays in the scrollback.
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

function fit(line: string, columns: number): string {
  const shown = onlyOwnStyles(line.replaceAll(CURSOR_MARKER, ""));
  return visibleWidth(shown) > columns ? `${truncateToWidth(shown, columns, "")}\u001b[0m` : shown;
}
