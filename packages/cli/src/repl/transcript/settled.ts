/** The part of streaming text whose rows stay as they are, whatever text follows. */

import { markdownLines } from "../screen/markdown.ts";

export interface Settled {
  readonly rows: readonly string[];
  /** The text after them. */
  readonly rest: string;
}

/** A longer text would be drawn several times with every word. */
const MOST_CHARS = 4_000;
const ITEM = /^(?:[-*+]|\d{1,9}[.)]) +\S/;
/** Plain words. Anything else could begin a heading, a table, a quotation, a block of code or HTML. */
const WORDS = /^(?:[\p{L}\p{N}("'“]|[*_`]{1,2}[\p{L}\p{N}])/u;
const NEXT_WORD = /^(?:[("'“]?\p{L}|\d+[^\d.)])/u;

/** All items of a list but the last one, or all rows of a paragraph but the last one. `text` begins a block. */
export function settledPart(text: string, width: number): Settled | undefined {
  if (text.length > MOST_CHARS) return undefined;
  const at = ITEM.test(text) ? lastItem(text) : lastRow(text, width);
  if (at === 0) return undefined;
  const rest = text.slice(at);
  const rows = markdownLines(text.slice(0, at).trimEnd(), width);
  // Split in two, the text must look as it does in one piece.
  const isSame = sameRows([...rows, ...markdownLines(rest, width)], markdownLines(text, width));
  return isSame ? { rows, rest } : undefined;
}

const sameRows = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((row, at) => row.trimEnd() === other[at]?.trimEnd());

/** Where the last item of a list begins; 0 if there is only one. */
function lastItem(text: string): number {
  if (/^ *(?:```|~~~)/m.test(text)) return 0;
  for (let at = text.lastIndexOf("\n"); at > 0; at = text.lastIndexOf("\n", at - 1))
    if (ITEM.test(text.slice(at + 1))) return at + 1;
  return 0;
}

/** Where the last row of a paragraph begins; 0 if there is only one row, or later text could change the rows above. */
function lastRow(text: string, width: number): number {
  if (!WORDS.test(text) || text.includes("\n")) return 0;
  const most = markdownLines(text, width).length;
  if (most < 2) return 0;
  const starts = [...text.matchAll(/(?<=\s)\S/g)].map(({ index }) => index);
  // The first word with which the text has all its rows begins the last one.
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const end = starts[middle + 1] ?? text.length;
    if (markdownLines(text.slice(0, end).trimEnd(), width).length < most) low = middle + 1;
    else high = middle;
  }
  const at = starts[low] ?? 0;
  const rest = text.slice(at);
  return isClosed(text.slice(0, at)) && NEXT_WORD.test(rest) && !ITEM.test(rest) ? at : 0;
}

/** Whether no emphasis, code or link is open at the end: each mark is there an even number of times. */
function isClosed(text: string): boolean {
  const open = new Set<string>();
  for (const [mark] of text.matchAll(/\*+|_+|~+|`+/g)) if (!open.delete(mark)) open.add(mark);
  const hasWholeLinks = text.split("[").length === text.split("]").length;
  return open.size === 0 && hasWholeLinks && !/[<\\|]/.test(text);
}
