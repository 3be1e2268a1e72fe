/** Ctrl+O: shows the whole output of a call, starting with the latest folded one. */

import { matchesKey } from "@earendil-works/pi-tui";
import type { CallEntry } from "../transcript/call-entry.ts";
import type { Panel } from "./panel.ts";
import { strip } from "../../shared/safe-text.ts";
import { dim, yellow } from "./style.ts";
import { hardWrap } from "./wrap.ts";

/** The title line, the call's title, and the key help. */
const FRAME_LINES = 3;

export class Viewer implements Panel {
  readonly #calls: readonly CallEntry[];
  readonly #close: () => void;
  #at: number;
  #top = 0;
  #room = 1;

  /** `calls` must not be empty. */
  constructor(calls: readonly CallEntry[], close: () => void) {
    this.#calls = [...calls];
    const folded = calls.findLastIndex((call) => call.isFolded);
    this.#at = folded < 0 ? calls.length - 1 : folded;
    this.#close = close;
  }

  handleInput(data: string): void {
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
    const lines = call.whole().flatMap((line) => hardWrap(line, width));
    const why = call.why === "" ? [] : hardWrap(call.why, width).map(dim);
    this.#room = Math.max(1, rows - FRAME_LINES - why.length);
    this.#top = Math.max(0, Math.min(this.#top, lines.length - this.#room));
    const shown = lines.slice(this.#top, this.#top + this.#room);
    const where =
      lines.length === 0
        ? "no output"
        : `${this.#top + 1}–${this.#top + shown.length} of ${lines.length} lines`;
    const title = `─ ${this.#at + 1} of ${this.#calls.length} ─ ${where} `;
    return [
      yellow(title.padEnd(width, "─").slice(0, width)),
      strip(call.title).slice(0, width),
      ...why,
      ...shown,
      dim("↑ ↓ PgUp PgDn to scroll, ← → for other calls, Esc to close"),
    ];
  }

  #turn(by: number): void {
    this.#at = Math.max(0, Math.min(this.#calls.length - 1, this.#at + by));
    this.#top = 0;
  }
}
