/** Long pastes: the input line has a mark for each, and the prompt the whole text. */

import { plural } from "../../shared/words.ts";

/** A paste that is longer than one of these is folded. */
const MOST_LINES = 10;
const MOST_CHARS = 1_000;
const MARK = /\[Pasted text #(\d+), \d+ (?:lines?|characters)\]/g;
const MARK_AT_END = new RegExp(`${MARK.source}$`);

export class PastedTexts {
  readonly #texts = new Map<string, string>();
  #last = 0;

  /** The mark for a long text; undefined if the text is short enough to be shown. */
  fold(text: string): string | undefined {
    const lines = text.replace(/\n$/, "").split("\n").length;
    if (lines <= MOST_LINES && text.length <= MOST_CHARS) return undefined;
    const size = lines > MOST_LINES ? plural(lines, "line") : `${text.length} characters`;
    const mark = `[Pasted text #${++this.#last}, ${size}]`;
    this.#texts.set(mark, text);
    return mark;
  }

  /** The text with the pastes in place of their marks. */
  expand(text: string): string {
    return this.#texts.size === 0 ? text : text.replaceAll(MARK, (mark) => this.#texts.get(mark) ?? mark);
  }

  /** The mark of a paste that ends the text; undefined if there is none. */
  markAtEnd(text: string): string | undefined {
    const [mark = ""] = MARK_AT_END.exec(text) ?? [];
    return this.#texts.has(mark) ? mark : undefined;
  }

  /** The line was sent. */
  forget(): void {
    this.#texts.clear();
    this.#last = 0;
  }
}
