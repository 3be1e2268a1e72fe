/** A field for one line of text. Enter sends it, Esc cancels. */

import { Input, matchesKey } from "@earendil-works/pi-tui";
import type { Panel } from "../screen/panel.ts";
import { helpRows, titleRows } from "../screen/rows.ts";
import { wordWrap } from "../screen/wrap.ts";

export interface Asking {
  readonly title: string;
  /** Text above the field. */
  readonly lines?: readonly string[];
  /** What is in the field at first. Default: nothing. */
  readonly value?: string;
}

export class TextField implements Panel {
  readonly takesText = true;
  readonly #asking: Asking;
  readonly #done: (text: string | undefined) => void;
  readonly #input = new Input();

  constructor(asking: Asking, done: (text: string | undefined) => void) {
    this.#asking = asking;
    this.#done = done;
    this.#input.focused = true;
    this.#input.setValue(asking.value ?? "");
    this.#input.onSubmit = (text) => done(text.trim() === "" ? undefined : text.trim());
  }

  handleInput(data: string): void {
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.#done(undefined);
    else this.#input.handleInput(data);
  }

  render(width: number, rows: number): string[] {
    const { title, lines = [] } = this.#asking;
    const head = titleRows(title, width);
    const help = helpRows("Enter to confirm, Esc to cancel", width);
    const room = Math.max(0, rows - head.length - help.length - 1);
    return [
      ...head,
      ...lines.flatMap((line) => wordWrap(line, width)).slice(0, room),
      ...this.#input.render(width),
      ...help,
    ];
  }
}
