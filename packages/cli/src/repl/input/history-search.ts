/** Ctrl+R: searches previous prompts from all folders. */

import { Input, SelectList, fuzzyFilter, matchesKey } from "@earendil-works/pi-tui";
import type { Panel } from "../screen/panel.ts";
import { helpRows, titleRows } from "../screen/rows.ts";
import { EDITOR, dim } from "../screen/style.ts";
import { oneLine } from "../../shared/words.ts";

const MOST_SHOWN = 8;
/** The field, and the line that says where a long list is. */
const FRAME_LINES = 2;
const MOST_FOUND = 200;

export class HistorySearch implements Panel {
  readonly #typed: readonly string[];
  readonly #done: (text: string | undefined) => void;
  readonly #input = new Input();
  #shown = MOST_SHOWN;
  #list: SelectList;

  /** `typed` has the latest prompt last. */
  constructor(typed: readonly string[], done: (text: string | undefined) => void) {
    this.#typed = typed.toReversed();
    this.#done = done;
    this.#input.focused = true;
    this.#list = this.#newList();
  }

  handleInput(data: string): void {
    const isOfList = ["up", "down", "enter", "escape", "ctrl+c"] as const;
    if (isOfList.some((key) => matchesKey(data, key))) return this.#list.handleInput(data);
    if (matchesKey(data, "ctrl+r")) return this.#list.handleInput("\u001b[B");
    this.#input.handleInput(data);
    this.#list = this.#newList();
  }

  render(width: number, rows: number): string[] {
    const title = titleRows("Search previous prompts", width);
    const help = helpRows("Type to search, ↑ ↓ or Ctrl+R to move, Enter to use, Esc to close", width);
    const shown = Math.max(1, Math.min(MOST_SHOWN, rows - FRAME_LINES - title.length - help.length));
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#list = this.#newList();
    }
    return [
      ...title,
      ...this.#input.render(width),
      ...(this.#found().length === 0 ? [dim("  no match")] : this.#list.render(width)),
      ...help,
    ];
  }

  #found(): string[] {
    const wanted = this.#input.getValue().toLowerCase();
    const found = this.#typed.filter((text) => text.toLowerCase().includes(wanted));
    const near = found.length > 0 ? found : fuzzyFilter([...this.#typed], wanted, (text) => text);
    return near.slice(0, MOST_FOUND);
  }

  #newList(): SelectList {
    const found = this.#found();
    const items = found.map((text, at) => ({ value: String(at), label: oneLine(text) }));
    const list = new SelectList(items, this.#shown, EDITOR.selectList);
    list.onSelect = ({ value }) => this.#done(found[Number(value)]);
    list.onCancel = () => this.#done(undefined);
    return list;
  }
}
