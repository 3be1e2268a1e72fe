/** A list with one row for each choice. What the rows have no room for is below the list, for the selected choice. */

import { matchesKey, visibleWidth } from "@earendil-works/pi-tui";
import { cutTo } from "./rows.ts";
import { EDITOR, dim } from "./style.ts";
import { wordWrap } from "./wrap.ts";

interface Listed {
  readonly label: string;
  readonly description?: string;
}

interface Columns {
  readonly label: number;
  /** 0 if the rows are too narrow for descriptions. */
  readonly description: number;
}

const MARK_COLUMNS = 2;
const GAP = 2;
const LEAST_LABEL = 18;
const MOST_LABEL = 58;
const LEAST_DESCRIPTION = 20;
const MOST_DETAIL_ROWS = 4;

export class ChoiceList<Item extends Listed> {
  readonly items: readonly Item[];
  #at = 0;

  constructor(items: readonly Item[], at: number) {
    this.items = items;
    this.at = at;
  }

  get at(): number {
    return this.#at;
  }

  set at(at: number) {
    this.#at = Math.max(0, Math.min(at, this.items.length - 1));
  }

  get selected(): Item | undefined {
    return this.items[this.#at];
  }

  /** Moves with the arrows, from the last to the first and back. Returns whether the key was an arrow. */
  moves(data: string): boolean {
    const by = matchesKey(data, "up") ? -1 : matchesKey(data, "down") ? 1 : 0;
    if (this.items.length > 0) this.#at = (this.#at + by + this.items.length) % this.items.length;
    return by !== 0;
  }

  /** Returns at most `most` rows, and always the same number for a width. */
  render(width: number, most: number): string[] {
    const columns = columnsOf(this.items, width);
    const detail = this.#detail(columns, width, most);
    const room = Math.max(1, most - detail.length);
    const isWhole = this.items.length <= room;
    const count = isWhole ? this.items.length : Math.max(1, room - 1);
    const first = Math.max(0, Math.min(this.#at - Math.floor(count / 2), this.items.length - count));
    const rows = this.items
      .slice(first, first + count)
      .map((item, at) => rowOf(item, { ...columns, width, isSelected: first + at === this.#at }));
    const where = isWhole || room < 2 ? [] : [dim(`  (${this.#at + 1}/${this.items.length})`)];
    return [...rows, ...where, ...detail];
  }

  /** Empty if every row shows all. */
  #detail(columns: Columns, width: number, most: number): string[] {
    const rowsOf = (item: Item): string[] =>
      isCut(item, columns) ? wordWrap(oneRow(wordsOf(item, columns)), Math.max(1, width - MARK_COLUMNS)) : [];
    const needed = Math.max(0, ...this.items.map((item) => rowsOf(item).length));
    // In a low terminal the choices come first.
    const height = Math.max(0, Math.min(needed, MOST_DETAIL_ROWS, most - Math.min(this.items.length, 3) - 1));
    const shown = this.selected === undefined ? [] : rowsOf(this.selected);
    return Array.from({ length: height }, (_, at) => {
      const row = shown[at] ?? "";
      const isLast = at === height - 1 && shown.length > height;
      return dim(`${" ".repeat(MARK_COLUMNS)}${isLast ? `${row.slice(0, -1).replace(/…+$/, "")}…` : row}`);
    });
  }
}

function columnsOf(items: readonly Listed[], width: number): Columns {
  const room = Math.max(1, width - MARK_COLUMNS);
  const widest = Math.max(0, ...items.map(({ label }) => visibleWidth(label)));
  const label = Math.max(LEAST_LABEL, Math.min(widest, MOST_LABEL));
  const left = room - label - GAP;
  return left < LEAST_DESCRIPTION ? { label: room, description: 0 } : { label, description: left };
}

function isCut({ label, description = "" }: Listed, columns: Columns): boolean {
  return (
    visibleWidth(label) > labelRoom(description, columns) || visibleWidth(description) > columns.description
  );
}

/** A label with no description has the whole row. */
function labelRoom(description: string, columns: Columns): number {
  return description === "" && columns.description > 0
    ? columns.label + GAP + columns.description
    : columns.label;
}

function wordsOf({ label, description = "" }: Listed, columns: Columns): string {
  const parts = visibleWidth(label) > labelRoom(description, columns) ? [label, description] : [description];
  return parts.filter((part) => part !== "").join(" · ");
}

function oneRow(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

interface RowOptions extends Columns {
  readonly width: number;
  readonly isSelected: boolean;
}

function rowOf({ label, description = "" }: Listed, options: RowOptions): string {
  const cut = cutTo(label, labelRoom(description, options), "…");
  const gap = " ".repeat(Math.max(0, options.label - visibleWidth(cut)) + GAP);
  const shown =
    options.description > 0 && description !== ""
      ? `${gap}${cutTo(oneRow(description), options.description, "…")}`
      : "";
  const { selectedText, description: paint } = EDITOR.selectList;
  return options.isSelected ? selectedText(`→ ${cut}${shown}`) : `  ${cut}${paint(shown)}`;
}
