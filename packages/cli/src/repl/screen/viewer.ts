/**
 * Ctrl+O: shows the whole output of a call, starting with the latest folded one. Of a call that runs, it shows the end and
 * follows it, until the user scrolls up.
 */

import { matchesKey } from "@earendil-works/pi-tui";
import type { CallEntry } from "../transcript/call-entry.ts";
import type { Panel } from "./panel.ts";
import { strip } from "../../shared/safe-text.ts";
import { helpRows, titleRows } from "./rows.ts";
import { dim } from "./style.ts";
import { hardWrap, wordWrap } from "./wrap.ts";

/** A longer title of a call is cut. */
const MOST_CALL_ROWS = 3;
const HELP = "↑ ↓ PgUp PgDn to scroll, ← → for other calls, Esc to close";

export class Viewer implements Panel {
  readonly #calls: readonly CallEntry[];
  readonly #close: () => void;
  #at: number;
  #top = 0;
  #room = 1;
  #isAtEnd: boolean;

  /** `calls` must not be empty. */
  constructor(calls: readonly CallEntry[], close: () => void) {
    this.#calls = [...calls];
    const folded = calls.findLastIndex((call) => call.isFolded);
    this.#at = folded < 0 ? calls.length - 1 : folded;
    this.#isAtEnd = calls[this.#at]?.isRunning === true;
    this.#close = close;
  }

  handleInput(data: string): void {
    this.#isAtEnd = false;
    if (["escape", "ctrl+c", "ctrl+o", "q"].some((key) => matchesKey(data, key as "escape"))) this.#close();
    else if (matchesKey(data, "up")) this.#top--;
    else if (matchesKey(data, "down")) this.#top++;
    else if (matchesKey(data, "pageUp")) this.#top -= this.#room;
    else if (matchesKey(data, "pageDown") || matchesKey(data, "space")) this.#top += this.#room;
    else if (matchesKey(data, "home")) this.#top = 0;
    else if (matchesKey(data, "end")) this.#top = Number.POSITIVE_INFINITY;
    else if (matchesKey(data, "left")) this.#turn(-1);
    else if (matchesKey(data, "right")) this.#turn(1);
  }

  render(width: number, rows: number): string[] {
    const call = this.#calls[this.#at];
    if (call === undefined) return [];
    // What a sub-agent wrote is prose; of output, no space is lost.
    const wrap = call.log === undefined ? hardWrap : wordWrap;
    const lines = call.whole().flatMap((line) => wrap(line, width));
    const why = call.why === "" ? [] : wordWrap(call.why, width).map(dim);
    const heading = wordWrap(strip(call.title), width).slice(0, MOST_CALL_ROWS);
    const help = helpRows(HELP, width);
    this.#room = Math.max(1, rows - 1 - heading.length - help.length - why.length);
    const last = Math.max(0, lines.length - this.#room);
    const top = this.#isAtEnd && call.isRunning ? last : this.#top;
    this.#top = Math.max(0, Math.min(top, last));
    this.#isAtEnd = this.#top === last;
    const shown = lines.slice(this.#top, this.#top + this.#room);
    const where =
      lines.length === 0
        ? "no output"
        : `${this.#top + 1}–${this.#top + shown.length} of ${lines.length} lines`;
    const title = titleRows(`${this.#at + 1} of ${this.#calls.length} ─ ${where}`, width);
    return [...title, ...heading, ...why, ...shown, ...help];
  }

  #turn(by: number): void {
    this.#at = Math.max(0, Math.min(this.#calls.length - 1, this.#at + by));
    this.#top = 0;
    this.#isAtEnd = this.#calls[this.#at]?.isRunning === true;
  }
}
