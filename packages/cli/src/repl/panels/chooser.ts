/** A list to choose one item from, with arrows and Enter; typing filters it. Esc removes the filter, then chooses nothing. */

import { SelectList, decodeKittyPrintable, fuzzyFilter, matchesKey } from "@earendil-works/pi-tui";
import { type Panel, digitOf } from "../screen/panel.ts";
import { ScrollText } from "../screen/scroll-text.ts";
import { strip } from "../../shared/safe-text.ts";
import { EDITOR, dim, yellow } from "../screen/style.ts";

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  /** Can be chosen only after all lines that must be read were on the screen. */
  readonly needsReading?: boolean;
}

export interface Choosing {
  readonly title: string;
  /** Text above the choices. */
  readonly lines?: readonly string[];
  /** How many of the first lines must be read for choices with `needsReading`. */
  readonly mustRead?: number;
  readonly choices: readonly Choice[];
  /** The index of the choice that is selected at first. Default: 0. */
  readonly at?: number;
  /** Choices that stay in the list whatever is typed, such as "Add a rule". Default: none. */
  readonly always?: readonly Choice[];
}

const MOST_SHOWN = 12;
/** The title line, and the key help below. */
const FRAME_LINES = 2;
/** A shorter list needs no filter. */
const LEAST_FILTERED = 4;
const LEAST_LABEL_COLUMNS = 20;
const MOST_LABEL_COLUMNS = 60;

export class Chooser implements Panel {
  readonly #choosing: Choosing;
  readonly #done: (value: string | undefined) => void;
  readonly #text: ScrollText;
  readonly #needsReading: boolean;
  #list: SelectList;
  #shown = MOST_SHOWN;
  #at: number;
  #isRefused = false;
  #filter = "";

  constructor(choosing: Choosing, done: (value: string | undefined) => void) {
    this.#choosing = choosing;
    this.#done = done;
    this.#at = choosing.at ?? 0;
    this.#text = new ScrollText(choosing.lines ?? [], choosing.mustRead ?? 0);
    this.#needsReading = choosing.choices.some(({ needsReading }) => needsReading === true);
    this.#list = this.#newList();
  }

  /** A digit moves to an item, which Enter chooses. */
  meaningOf(letter: string): "marks" | undefined {
    return this.#placeOf(letter) === undefined ? undefined : "marks";
  }

  /** The text before it was not an answer: the first item is selected again. */
  unmark(): void {
    this.#move(this.#choosing.at ?? 0);
  }

  handleInput(data: string): void {
    this.#isRefused = false;
    if (this.#filters(data)) return;
    const place = this.#placeOf(data);
    if (place !== undefined) this.#move(place);
    else if (matchesKey(data, "pageUp")) this.#text.page(-1);
    else if (matchesKey(data, "pageDown")) this.#text.page(1);
    else if (matchesKey(data, "home")) this.#text.scroll(Number.NEGATIVE_INFINITY);
    else if (matchesKey(data, "end")) this.#text.scroll(Number.MAX_SAFE_INTEGER);
    else if (!this.#scrolls(data)) this.#list.handleInput(data);
  }

  render(width: number, rows: number): string[] {
    const { title } = this.#choosing;
    const total = this.#text.rowsAt(width);
    const room = Math.max(1, rows - FRAME_LINES);
    const shown = this.#shownChoices;
    const most = Math.min(MOST_SHOWN, room - (total > 0 ? 1 : 0));
    // A list that scrolls has a line that says where it is.
    this.#fitList(shown.length <= most ? shown.length : Math.min(MOST_SHOWN, most - 1));
    const list = shown.length === 0 ? [dim("  no match")] : this.#list.render(width);
    const left = room - list.length;
    const isWhole = total <= left;
    const text = this.#text.show(width, isWhole ? total : left - 1);
    return [
      yellow(
        `─ ${this.#filter === "" ? title : `${title} ─ ${this.#filter}`} `.padEnd(width, "─").slice(0, width),
      ),
      ...text,
      ...(isWhole || left < 1 ? [] : [yellow(`${this.#text.position}: ${this.#scrollKeys} to scroll`)]),
      ...list,
      this.#isRefused
        ? yellow("Scroll to the end first: some entries were not shown yet.")
        : dim(this.#keyHelp.slice(0, width)),
    ];
  }

  get #keyHelp(): string {
    const keys = "↑ ↓ to move, Enter to choose";
    if (!this.#isFiltered) return `${keys}, Esc to cancel`;
    return this.#filter === ""
      ? `${keys}, Esc to cancel, type to filter`
      : `${keys}, Esc to remove the filter`;
  }

  /** A text that must be read first has few choices. */
  get #isFiltered(): boolean {
    return !this.#needsReading && this.#choosing.choices.length >= LEAST_FILTERED;
  }

  get #shownChoices(): readonly Choice[] {
    const { choices, always = [] } = this.#choosing;
    const textOf = ({ label, description = "" }: Choice): string => `${label} ${description}`;
    const found = this.#filter === "" ? choices : fuzzyFilter([...choices], this.#filter, textOf);
    // A line break in a name from outside would break the frame.
    return [...always, ...found].map((one) => ({ ...one, label: one.label.replaceAll(/\s*\n\s*/g, " ") }));
  }

  /** Returns whether the key changed the filter. */
  #filters(data: string): boolean {
    if (!this.#isFiltered) return false;
    const typed = decodeKittyPrintable(data) ?? data;
    const isText = !/^\p{Cc}/u.test(typed) && !(typed === " " && this.#filter === "");
    if (matchesKey(data, "backspace")) this.#filter = [...this.#filter].slice(0, -1).join("");
    else if (matchesKey(data, "escape") && this.#filter !== "") this.#filter = "";
    else if (isText) this.#filter += strip(typed);
    else return false;
    this.#at = this.#filter === "" ? (this.#choosing.at ?? 0) : (this.#choosing.always?.length ?? 0);
    this.#list = this.#newList();
    return true;
  }

  /** In a list that typing filters, a digit is text. */
  #placeOf(letter: string): number | undefined {
    if (this.#isFiltered) return undefined;
    const place = (digitOf(letter) ?? 0) - 1;
    return this.#choosing.choices[place] === undefined ? undefined : place;
  }

  #move(to: number): void {
    this.#at = to;
    this.#list.setSelectedIndex(to);
  }

  get #scrollKeys(): string {
    return this.#needsReading ? "↑ ↓ PgUp PgDn Home End" : "PgUp PgDn Home End";
  }

  /**
   * The arrows scroll the text that must be read before they move through the choices. Holding down an arrow stops at
   * the first or the last choice.
   */
  #scrolls(data: string): boolean {
    if (!this.#needsReading) return false;
    const isLast = this.#at === this.#shownChoices.length - 1;
    const isUp = matchesKey(data, "up") && this.#at === 0;
    const isDown = matchesKey(data, "down") && (isLast || !this.#text.isAtEnd);
    if (isUp) this.#text.scroll(-1);
    if (isDown) this.#text.scroll(1);
    return isUp || isDown;
  }

  /** Creates a new list, because a list cannot change its height. */
  #fitList(most: number): void {
    const shown = Math.max(1, most);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#list = this.#newList();
  }

  #newList(): SelectList {
    const choices = this.#shownChoices;
    const layout = { minPrimaryColumnWidth: LEAST_LABEL_COLUMNS, maxPrimaryColumnWidth: MOST_LABEL_COLUMNS };
    const list = new SelectList([...choices], this.#shown, EDITOR.selectList, layout);
    list.setSelectedIndex(this.#at);
    list.onSelectionChange = (item) => (this.#at = choices.findIndex(({ value }) => value === item.value));
    list.onSelect = ({ value }) => this.#select(value);
    list.onCancel = () => this.#done(undefined);
    return list;
  }

  #select(value: string): void {
    const choice = this.#shownChoices.find((one) => one.value === value);
    if (choice?.needsReading === true && !this.#text.isRead) this.#isRefused = true;
    else this.#done(value);
  }
}
