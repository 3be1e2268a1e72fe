/** A list to choose one item from, with arrows and Enter; typing filters it. Esc removes the filter, then chooses nothing. */

import { decodeKittyPrintable, fuzzyFilter, matchesKey } from "@earendil-works/pi-tui";
import { ChoiceList } from "../screen/choice-list.ts";
import { type Panel, digitOf } from "../screen/panel.ts";
import { cutTo, helpRows, titleRows } from "../screen/rows.ts";
import { ScrollText } from "../screen/scroll-text.ts";
import { strip } from "../../shared/safe-text.ts";
import { dim, yellow } from "../screen/style.ts";
import { wordWrap } from "../screen/wrap.ts";

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
  /** What Enter does with a choice. Default: `choose`. */
  readonly verb?: string;
  /** Choices that stay in the list whatever is typed, such as "Add a rule". Default: none. */
  readonly always?: readonly Choice[];
}

/** A choice, and where it is in the list. */
const LEAST_SHOWN = 2;
const MOST_SHOWN = 13;
/** A shorter list needs no filter. */
const LEAST_FILTERED = 4;

export class Chooser implements Panel {
  readonly #choosing: Choosing;
  readonly #done: (value: string | undefined) => void;
  readonly #text: ScrollText;
  readonly #needsReading: boolean;
  #list: ChoiceList<Choice>;
  #isRefused = false;
  #filter = "";

  constructor(choosing: Choosing, done: (value: string | undefined) => void) {
    this.#choosing = choosing;
    this.#done = done;
    this.#text = new ScrollText(choosing.lines ?? [], choosing.mustRead ?? 0);
    this.#needsReading = choosing.choices.some(({ needsReading }) => needsReading === true);
    this.#list = new ChoiceList(this.#shownChoices, choosing.at ?? 0);
  }

  /** A digit moves to an item, which Enter chooses. */
  meaningOf(letter: string): "marks" | undefined {
    return this.#placeOf(letter) === undefined ? undefined : "marks";
  }

  /** The text before it was not an answer: the first item is selected again. */
  unmark(): void {
    this.#list.at = this.#choosing.at ?? 0;
  }

  handleInput(data: string): void {
    this.#isRefused = false;
    if (this.#filters(data)) return;
    const place = this.#placeOf(data);
    if (place !== undefined) this.#list.at = place;
    else if (matchesKey(data, "pageUp")) this.#text.page(-1);
    else if (matchesKey(data, "pageDown")) this.#text.page(1);
    else if (matchesKey(data, "home")) this.#text.scroll(Number.NEGATIVE_INFINITY);
    else if (matchesKey(data, "end")) this.#text.scroll(Number.MAX_SAFE_INTEGER);
    else if (matchesKey(data, "enter")) this.#select();
    else if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) this.#done(undefined);
    else if (!this.#scrolls(data)) this.#list.moves(data);
  }

  render(width: number, rows: number): string[] {
    const { title } = this.#choosing;
    const head = titleRows(this.#filter === "" ? title : `${title} ─ ${this.#filter}`, width);
    const help = this.#isRefused
      ? wordWrap("Scroll to the end first: some entries were not shown yet.", width).map(yellow)
      : helpRows(this.#keyHelp, width);
    const total = this.#text.rowsAt(width);
    const room = Math.max(1, rows - head.length - help.length);
    const most = Math.max(LEAST_SHOWN, Math.min(MOST_SHOWN, room - (total > 0 ? 1 : 0)));
    const list = this.#list.items.length === 0 ? [dim("  no match")] : this.#list.render(width, most);
    const left = room - list.length;
    const isWhole = total <= left;
    const text = this.#text.show(width, isWhole ? total : left - 1);
    return [
      ...head,
      ...text,
      ...(isWhole || left < 1
        ? []
        : [yellow(cutTo(`${this.#text.position}: ${this.#scrollKeys} to scroll`, width, "…"))]),
      ...list,
      ...help,
    ];
  }

  get #keyHelp(): string {
    const keys = `↑ ↓ to move, Enter to ${this.#choosing.verb ?? "choose"}`;
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
    const at = this.#filter === "" ? (this.#choosing.at ?? 0) : (this.#choosing.always?.length ?? 0);
    this.#list = new ChoiceList(this.#shownChoices, at);
    return true;
  }

  /** In a list that typing filters, a digit is text. */
  #placeOf(letter: string): number | undefined {
    if (this.#isFiltered) return undefined;
    const place = (digitOf(letter) ?? 0) - 1;
    return this.#choosing.choices[place] === undefined ? undefined : place;
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
    const isLast = this.#list.at === this.#list.items.length - 1;
    const isUp = matchesKey(data, "up") && this.#list.at === 0;
    const isDown = matchesKey(data, "down") && (isLast || !this.#text.isAtEnd);
    if (isUp) this.#text.scroll(-1);
    if (isDown) this.#text.scroll(1);
    return isUp || isDown;
  }

  #select(): void {
    const { selected } = this.#list;
    if (selected === undefined) return;
    if (selected.needsReading === true && !this.#text.isRead) this.#isRefused = true;
    else this.#done(selected.value);
  }
}
