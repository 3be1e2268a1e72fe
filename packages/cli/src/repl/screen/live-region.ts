/**
 * The lines at the bottom of the terminal that are redrawn. Finished lines are printed above them once. The scrollback
 * is never cleared and never rewritten.
 */

import { CURSOR_MARKER, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { imageBytes, isImageLine } from "./images.ts";
import { lineChange } from "./line-change.ts";
import { addedRows, rowsAbove } from "./reflow.ts";
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

/** Asks the terminal for the row of its cursor. */
const ASK_ROW = "\u001b[6n";
/** Finished lines that are kept to be shown on the alternate screen. */
const MOST_KEPT = 100;

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
  /** How many rows of the screen are above the region, at least. */
  #rowsAbove = 0;
  /** What `#rowsAbove` was when the terminal was asked; undefined if it must be asked. */
  #asked: number | undefined;
  /** The last frame that was cut to the size of the screen: it is needed several times. */
  #shown:
    | { readonly live: readonly string[]; readonly size: Size; readonly lines: readonly string[] }
    | undefined;
  /** The last finished lines. */
  #printed: string[] = [];

  constructor(quirks: Quirks = {}) {
    this.#quirks = quirks;
  }

  /** The terminal has said what it is. */
  set quirks(quirks: Quirks) {
    this.#quirks = quirks;
  }

  /**
   * Returns what to write so that the terminal shows this frame, or an empty string if nothing changed. Without `asks`
   * the terminal is not asked for its row: another program would read the answer.
   */
  draw(frame: Frame, size: Size, asks = true): string {
    const live = this.#shownOf(frame.live, size);
    const isSame = size.columns === this.#size.columns && size.rows === this.#size.rows;
    const bytes =
      isSame && canGrow(frame, live, size) ? this.#grown(frame, live, size) : this.#whole(frame, live, size);
    this.#rowsAbove = this.#rowsAboveOf(frame, size);
    this.#printed = [...this.#printed, ...frame.above].slice(-MOST_KEPT);
    this.#lines = live;
    this.#size = size;
    if (bytes === "") return "";
    const ask = !asks || (isSame && this.#asked !== undefined) ? "" : ASK_ROW;
    if (ask !== "") this.#asked = this.#rowsAbove;
    return `${BEGIN}${bytes}${END}${ask}`;
  }

  /** Returns what to write so that the terminal says where the first frame will begin. */
  ask(): string {
    this.#asked = this.#rowsAbove;
    return ASK_ROW;
  }

  /** The terminal answers that the cursor was in this row, counted from 0, when it was asked. */
  startsAt(row: number): void {
    this.#rowsAbove = Math.max(0, this.#rowsAbove + row - (this.#asked ?? row));
    this.#asked = row;
  }

  /** The window has grown while the alternate screen was shown: more rows can be above the region than before. */
  grown(): void {
    this.#rowsAbove = Number.MAX_SAFE_INTEGER;
    this.#asked = undefined;
  }

  /**
   * Whether a narrower window would push rows of this frame into the scrollback, because fewer rows are above it than it
   * would add. An empty row at its start does no harm.
   */
  isAtRisk(frame: Frame, size: Size): boolean {
    const live = this.#shownOf(frame.live, size);
    const emptyRows = live[0] === "" ? 1 : 0;
    return addedRows(live, size.columns) > this.#rowsAboveOf(frame, size) + emptyRows;
  }

  /** The whole screen with this frame, as far as the finished lines above it are known. */
  screenOf(frame: Frame, size: Size): string[] {
    const room = this.#rowsAboveOf(frame, size);
    const known = [...this.#printed, ...frame.above].flatMap((line) =>
      isImageLine(line) ? [""] : wrapTextWithAnsi(line, size.columns),
    );
    const above = known.slice(Math.max(0, known.length - room));
    const unknown = Array.from({ length: room - above.length }, () => "");
    const shown = this.#shownOf(frame.live, size);
    const cut = frame.live.length - shown.length;
    const live = cut > 0 ? [fit(rowsAbove(cut + 1), size.columns), ...shown.slice(1)] : shown;
    return [...unknown, ...above, ...live];
  }

  #rowsAboveOf({ above, live }: Frame, size: Size): number {
    const most = size.rows - Math.max(1, this.#shownOf(live, size).length);
    return Math.max(0, Math.min(this.#rowsAbove + above.length, most));
  }

  /** A frame that is higher than the screen keeps its end, where the input line is. */
  #shownOf(live: readonly string[], size: Size): readonly string[] {
    const isKnown = this.#shown?.live === live && this.#shown.size === size;
    if (this.#shown !== undefined && isKnown) return this.#shown.lines;
    const end = live.slice(-Math.max(1, size.rows - 1));
    const lines = end.map((line) => (isImageLine(line) ? "" : fit(line, size.columns)));
    this.#shown = { live, size, lines };
    return lines;
  }

  /** Returns what to write so that the cursor is on an empty line below the region. */
  leave(): string {
    const { length } = this.#lines;
    this.#lines = [];
    this.#asked = undefined;
    return length === 0 ? "" : `${down(length - 1)}\r\n`;
  }

  /** Returns what to write so that the region is gone. The next frame draws it again. */
  erase(size: Size): string {
    const bytes = this.#lines.length === 0 ? "" : `\r${up(this.#movedDown(size))}${CLEAR_DOWN}`;
    this.#lines = [];
    return bytes;
  }

  #whole(frame: Frame, live: readonly string[], size: Size): string {
    const above = frame.above.map((line) => imageBytes(line) ?? `${fit(line, size.columns)}\r\n`);
    const finished = above.join("");
    const back = `${up(live.length - 1)}\r`;
    return `\r${up(this.#movedDown(size))}${CLEAR_DOWN}${finished}${live.join("\r\n")}${back}`;
  }

  /** Finished lines are often the first rows of the last frame, so that only what changed is written. */
  #grown({ above }: Frame, live: readonly string[], size: Size): string {
    const finished = above.map((line) => fit(line, size.columns));
    return this.#changes([...finished, ...live]) + down(finished.length);
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

/** Whether all rows of the frame are on the screen at the same time, so that the cursor can move between them. */
function canGrow({ above }: Frame, live: readonly string[], size: Size): boolean {
  if (above.length === 0) return true;
  return live.length > 0 && above.length + live.length < size.rows && !above.some(isImageLine);
}

/** Cuts a line at the width of the screen and drops foreign escape sequences. */
export function fit(line: string, columns: number): string {
  const shown = withLinks(onlyOwnStyles(line.replaceAll(CURSOR_MARKER, "").trimEnd()), columns);
  return visibleWidth(shown) > columns ? `${truncateToWidth(shown, columns, "")}\u001b[0m` : shown;
}
