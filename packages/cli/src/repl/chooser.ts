/** A list from which one thing is chosen: arrows and Enter, Esc for none of them. */

import { SelectList, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { type Panel, Unread } from "./panel.ts";
import { EDITOR, dim, yellow } from "./style.ts";
import { plural } from "./words.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export interface Choosing {
  readonly title: string;
  /** What must be known to choose. */
  readonly lines?: readonly string[];
  readonly choices: readonly Choice[];
  /** The place of the one that Enter takes at first: 0 where absent. */
  readonly at?: number;
  /** It comes up unasked: keys that are pressed at that moment are meant for something else. */
  readonly isUnasked?: boolean;
}

const MOST_SHOWN = 12;
/** The rule above, the help below, and the count of a list that is longer. */
const FRAME_LINES = 3;
const LEAST_LABEL_COLUMNS = 20;
const MOST_LABEL_COLUMNS = 60;

export class Chooser implements Panel {
  readonly #choosing: Choosing;
  readonly #unread: Unread | undefined;
  readonly #done: (value: string | undefined) => void;
  #list: SelectList;
  #shown = MOST_SHOWN;
  #at: number;

  constructor(choosing: Choosing, done: (value: string | undefined) => void) {
    this.#choosing = choosing;
    this.#done = done;
    this.#at = choosing.at ?? 0;
    this.#unread = choosing.isUnasked === true ? new Unread() : undefined;
    this.#list = this.#newList();
  }

  isTooEarly(data: string): boolean {
    return this.#unread?.isTooEarly(data) ?? false;
  }

  handleInput(data: string): void {
    this.#list.handleInput(data);
  }

  render(width: number, rows: number): string[] {
    const { title, lines = [], choices } = this.#choosing;
    const told = lines.flatMap((line) => (line === "" ? [""] : wrapTextWithAnsi(line, width)));
    const room = Math.max(1, rows - FRAME_LINES);
    const shown = Math.max(1, Math.min(MOST_SHOWN, choices.length, room));
    // Made anew, since a list does not change its height.
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#list = this.#newList();
    }
    return [
      yellow(`─ ${title} `.padEnd(width, "─").slice(0, width)),
      ...shortened(told, Math.max(0, room - shown)),
      ...this.#list.render(width),
      dim("↑ ↓ Enter choose, Esc none"),
    ];
  }

  #newList(): SelectList {
    const { choices } = this.#choosing;
    const layout = { minPrimaryColumnWidth: LEAST_LABEL_COLUMNS, maxPrimaryColumnWidth: MOST_LABEL_COLUMNS };
    const list = new SelectList([...choices], this.#shown, EDITOR.selectList, layout);
    list.setSelectedIndex(this.#at);
    list.onSelectionChange = (item) => (this.#at = choices.findIndex(({ value }) => value === item.value));
    list.onSelect = ({ value }) => this.#done(value);
    list.onCancel = () => this.#done(undefined);
    return list;
  }
}

/** Says that something is missing where it is. */
function shortened(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  const kept = lines.slice(0, Math.max(0, most - 1));
  return [...kept, dim(`… ${plural(lines.length - kept.length, "line")} more`)].slice(0, most);
}
