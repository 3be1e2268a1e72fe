/** A field for one line of text. Enter sends it, Esc cancels. */

import { Input, matchesKey } from "@earendil-works/pi-tui";
import type { Panel } from "../screen/panel.ts";
import { dim, yellow } from "../screen/style.ts";
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
    return [
      yellow(`─ ${title} `.padEnd(width, "─").slice(0, width)),
      ...lines.flatMap((line) => wordWrap(line, width)).slice(0, Math.max(0, rows - 3)),
      ...this.#input.render(width),
      dim("Enter to confirm, Esc to cancel".slice(0, width)),
    ];
  }
}
