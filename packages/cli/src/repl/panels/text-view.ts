/** Lines to read and scroll, such as the keys or one message of the conversation. */

import { matchesKey } from "@earendil-works/pi-tui";
import type { Panel } from "../screen/panel.ts";
import { ScrollText } from "../screen/scroll-text.ts";
import { helpRows, titleRows } from "../screen/rows.ts";

export interface Showing {
  readonly title: string;
  readonly lines: readonly string[];
  /** More keys that close it. */
  readonly closers?: readonly string[];
}

export class TextView implements Panel {
  readonly #showing: Showing;
  readonly #close: () => void;
  readonly #text: ScrollText;

  constructor(showing: Showing, close: () => void) {
    this.#showing = showing;
    this.#close = close;
    this.#text = new ScrollText(showing.lines, 0);
  }

  handleInput(data: string): void {
    const closers = ["escape", "ctrl+c", "enter", "q", ...(this.#showing.closers ?? [])];
    if (closers.some((key) => data === key || matchesKey(data, key as "q"))) this.#close();
    else if (matchesKey(data, "up")) this.#text.scroll(-1);
    else if (matchesKey(data, "down")) this.#text.scroll(1);
    else if (matchesKey(data, "pageUp")) this.#text.page(-1);
    else if (matchesKey(data, "pageDown") || matchesKey(data, "space")) this.#text.page(1);
    else if (matchesKey(data, "home")) this.#text.scroll(Number.NEGATIVE_INFINITY);
    else if (matchesKey(data, "end")) this.#text.scroll(Number.MAX_SAFE_INTEGER);
  }

  render(width: number, rows: number): string[] {
    const title = titleRows(this.#showing.title, width);
    const total = this.#text.rowsAt(width);
    const close = "Esc to close";
    if (title.length + total + 1 <= rows)
      return [...title, ...this.#text.show(width, total), ...helpRows(close, width)];
    const keys = `↑ ↓ PgUp PgDn to scroll, ${close}`;
    const room = Math.max(
      1,
      rows - title.length - helpRows(`${total}–${total} of ${total} lines, ${keys}`, width).length,
    );
    const shown = this.#text.show(width, Math.min(total, room));
    return [...title, ...shown, ...helpRows(`${this.#text.position}, ${keys}`, width)];
  }
}
