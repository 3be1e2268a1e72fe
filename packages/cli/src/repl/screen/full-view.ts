/** Draws views that need most of the screen on the terminal's alternate screen, so that the scrollback stays as it is. */

import { lineChange } from "./line-change.ts";
import { type Size, fit } from "./live-region.ts";
import { rowShift } from "./row-shift.ts";

const BEGIN = "\u001b[?2026h\u001b[?7l";
const END = "\u001b[?7h\u001b[?2026l";
const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";
const CLEAR_DOWN = "\u001b[J";

const at = (row: number): string => `\u001b[${row + 1};1H`;

export class FullView {
  /** The lines on the alternate screen, or undefined if the normal screen is shown. */
  #lines: readonly string[] | undefined;
  #size: Size = { columns: 0, rows: 0 };

  get isOpen(): boolean {
    return this.#lines !== undefined;
  }

  /** Returns what to write so that the terminal shows these lines and nothing else. */
  draw(given: readonly string[], size: Size): string {
    const shown = given.slice(0, size.rows).map((line) => fit(line, size.columns));
    const isSame = size.columns === this.#size.columns && size.rows === this.#size.rows;
    const lines = isSame ? this.#lines : undefined;
    const shift = lines === undefined ? undefined : rowShift(lines, shown);
    const before = shift?.rows ?? lines;
    const moved =
      shift === undefined ? "" : `${at(shift.at)}\u001b[${Math.abs(shift.by)}${shift.by > 0 ? "L" : "M"}`;
    const changed = shown.flatMap((line, row) =>
      line === before?.[row] ? [] : [`${at(row)}${lineChange(before?.[row], line)}`],
    );
    const isShorter = before === undefined || before.length > shown.length;
    const rest = isShorter && shown.length < size.rows ? `${at(shown.length)}${CLEAR_DOWN}` : "";
    const enter = this.#lines === undefined ? ENTER : "";
    this.#lines = shown;
    this.#size = size;
    const bytes = `${enter}${moved}${changed.join("")}${rest}`;
    return bytes === "" ? "" : `${BEGIN}${bytes}${END}`;
  }

  /**
   * Returns what to write so that the terminal shows the normal screen again, with the cursor where it was. The view is
   * cleared first: if the size has changed, tmux wraps what the alternate screen shows and pushes it into the scrollback.
   */
  close(): string {
    if (this.#lines === undefined) return "";
    this.#lines = undefined;
    return `${at(0)}${CLEAR_DOWN}${LEAVE}`;
  }
}
